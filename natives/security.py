#!/usr/bin/env python3
"""
Checks that docs/library.md says what vulnerabilities.csv and assessed.properties say, and that these are complete.

    natives/security.py            exits with 1, and says why, where they differ
    natives/security.py --write    writes the section of docs/library.md
"""
import csv
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).parent
PAGE = HERE.parent / 'docs/library.md'
SECTION = re.compile('(<!-- natives/security.py -->\n).*(<!-- end -->\n)', re.S)


def properties(name):
    lines = (line.partition('=') for line in (HERE / name).read_text().splitlines() if '=' in line and line[0] != '#')
    return {key: value for key, _, value in lines}


def outcome(row):
    if row['state'] == 'fixed':
        return 'patched'
    return {'vulnerable_code_not_present': 'not in the library',
            'vulnerable_code_not_in_execute_path': 'not called'}[row['justification']]


def section(rows, assessed, versions):
    counts = {}
    for row in rows:
        counts[outcome(row)] = counts.get(outcome(row), 0) + 1
    counted = ', '.join(f'{counts[kind]} {kind}' for kind in ('patched', 'not in the library', 'not called'))
    table = '\n'.join(f'| {row["cve"]} | {outcome(row)} | {row["detail"].partition(". Patched as well")[0]} |' for row in rows)
    return (f'[`natives/vulnerabilities.csv`](../natives/vulnerabilities.csv) has the vulnerabilities of OpenSSL '
            f'{versions["openssl.version"]}\nup to OpenSSL\'s advisory of {assessed["openssl.advisory"]}, and was last looked at on '
            f'{assessed["openssl.advisory.checked"]}.\nThey are {len(rows)}: {counted}, 0 open.\n\n'
            f'| vulnerability | in the bundled library | |\n|---|---|---|\n{table}\n')


def main():
    with open(HERE / 'vulnerabilities.csv', newline='') as file:
        rows = list(csv.DictReader(file, ('cve', 'component', 'state', 'justification', 'detail')))
    assessed, versions = properties('assessed.properties'), properties('versions.properties')
    known = {row['cve'] for row in rows}
    for name, value in assessed.items():
        unknown = [cve for cve in value.split() if name.endswith('.closes') and cve not in known]
        if unknown:
            sys.exit(f'vulnerabilities.csv lacks {" ".join(unknown)}, which {name} in assessed.properties names')
    for row in rows:
        if '/' in row['justification'] and not (HERE / row['justification']).exists():
            sys.exit(f'vulnerabilities.csv: {row["cve"]}: there is no natives/{row["justification"]}')
    page = PAGE.read_text()
    text = section(rows, assessed, versions)
    wanted = SECTION.sub(lambda match: match.group(1) + text + match.group(2), page)
    if text not in wanted:
        sys.exit('docs/library.md has no place for what natives/security.py writes')
    if '--write' in sys.argv:
        PAGE.write_text(wanted)
    elif page != wanted:
        sys.exit('docs/library.md is not what natives/vulnerabilities.csv says: natives/security.py --write')


if __name__ == '__main__':
    main()
