"""The table of a run, as Markdown."""

from statistics_of_runs import is_valid, ratio, series, spread

NAMES = {
    "connect-full": "new connection, full handshake",
    "connect-resumed": "new connection, resumed session",
    "connect-saturated": "new connection, saturated",
    "echo": "echo, kept alive",
    "h2load": "echo by h2load",
    "appconnect": "curl's time_appconnect",
    "saturation": "response, saturated",
    "idle": "idle connections",
    "start": "start until the first response",
}


# Whom the CPU of each is compared with
RATIOS = ("jsse", "nginx", "netty")

# What tells workloads apart; the rest is in results.json
SHOWN = ("key", "rate", "bytes", "protocol", "round_trip_ms")


def title(workload, parameters):
    return NAMES.get(workload, workload) + "".join(", %s %s" % pair for pair in parameters if pair[0] in SHOWN)


def number(value):
    return "%.2f" % value if value < 10 else "{:,.0f}".format(value)


def cell(values):
    found = spread(values)
    if found is None:
        return ""
    return number(found[0]) if found[1] == found[2] else "%s (%s-%s)" % tuple(number(value) for value in found)


def latencies(rows, name):
    return [row["latency_us"] and row["latency_us"][name] for row in rows]


def line(rows, all_series):
    first = rows[0]
    beginning = [first["contender"], str(first["java"])]
    errors = sum(row["errors"] for row in rows)
    if not is_valid(rows):
        return beginning + ["**invalid: %d errors**" % errors] + [""] * (7 + len(RATIOS))
    ratios = [ratio(rows, other, all_series) for other in RATIOS]
    per_connection = [row["details"].get("rss_bytes_per_connection") for row in rows]
    memory = cell([value / 1024 for value in per_connection if value is not None])
    shares = [row["details"].get("compiler_cpu_share") for row in rows]
    compiler = max((share for share in shares if share is not None), default=None)
    return (
        beginning
        + [cell([row["cpu_us_per_request"] for row in rows])]
        + ["" if value is None else "%.2f" % value for value in ratios]
        + [cell(latencies(rows, name)) for name in ("mean", "p50", "p99", "max")]
        + [cell([row["requests_per_second"] for row in rows]), memory]
        + ["" if compiler is None else "%.0f %%" % (100 * compiler)]
    )


HEAD = ["contender", "Java", "CPU us/request", *("to " + name for name in RATIOS), "mean us", "p50 us", "p99 us", "max us",
        "requests/s", "KB/connection", "compiler"]


def table(head, body):
    rows = [head, ["---"] * len(head), *body]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows) + "\n"


def markdown(header, rows, images):
    machine = header["machine"]
    parts = ["# Results of `%s`\n" % header["command"]]
    if header["mode"] != "full":
        parts.append("A %s run: %s\n" % (header["mode"], {
            "reference": "Java 25, ECDSA, the first workloads.",
            "quick": "short, so its figures are rough; compare within it only.",
            "smoke": "it shows that the benchmark works. **Its figures mean nothing.**",
        }[header["mode"]]))
    parts.append("%s; %d cores of %s, %s AVX-512; %.1f GB; Linux %s; load average at the start %.1f. %d rounds.\n" % (
        header["date"], machine["cores"], machine["cpu"], "with" if machine["avx512"] else "without",
        machine["memory_bytes"] / 2**30, machine["kernel"], machine["load_average_at_start"], header["rounds"]))
    parts.append("%s, %s, %s. Tickets: %s. JVMs with %s.\n" % (*(
        header["tls"][name] for name in ("protocol", "cipher_suite", "group", "tickets")), header["jvm_options"]))
    parts.append("Median of the rounds (least-greatest). CPU: of all processes of the contender, in user mode and in the "
                 "kernel. Ratios: of CPU, to the contender of the same round and Java version; below 1 is less. "
                 "Compiler: the greatest share of the CPU that a JVM spent on compiling, in any round.\n")
    all_series = series(rows)
    groups = {}
    for found in all_series.values():
        first = found[0]
        groups.setdefault((first["workload"], tuple(first["parameters"].items())), []).append(found)
    for group in sorted(groups, key=lambda key: (list(NAMES).index(key[0]), [(name, str(value).zfill(8)) for name, value in key[1]])):
        members = groups[group]
        parts.append("## %s\n" % title(*group))
        parts.append(table(HEAD, [line(member, all_series) for member in members]))
    parts.extend("![%s](%s)\n" % (name, name) for name in images)
    parts.append("## Not run\n")
    gone = {}
    for row in header["not_run"]:
        gone.setdefault((row["contender"], str(row["java"]), row["workload"] or "all", row["reason"]), []).append(row["round"])
    parts.append(table(["contender", "Java", "workload", "reason", "rounds"], [
        [*(word.replace("|", "/") for word in key), ", ".join(map(str, sorted(set(found))))] for key, found in gone.items()
    ]) if gone else "Nothing was left out.\n")
    parts.append("## Versions\n")
    parts.append(table(["what", "version"], [[name, value] for name, value in header["versions"].items()]))
    return "\n".join(parts)
