package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Linux tells CPU times in units of USER_HZ, 100 per second on all its architectures of today (time(7)).
const tickMicros = 10_000

type process struct {
	name        string
	pid, parent int
	ticks       int64
	rss         int64
}

// parseStat reads a line of /proc/PID/stat (proc(5)). The command's name may contain spaces and parentheses.
func parseStat(line string) (process, error) {
	open, end := strings.IndexByte(line, '('), strings.LastIndexByte(line, ')')
	if open < 0 || end < open {
		return process{}, fmt.Errorf("not a line of /proc/PID/stat: '%s'", line)
	}
	fields := strings.Fields(line[end+1:])
	if len(fields) < 22 {
		return process{}, fmt.Errorf("too few fields: '%s'", line)
	}
	var numbers [5]int64
	for i, value := range []string{strings.TrimSpace(line[:open]), fields[1], fields[11], fields[12], fields[21]} {
		number, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return process{}, err
		}
		numbers[i] = number
	}
	return process{name: line[open+1 : end], pid: int(numbers[0]), parent: int(numbers[1]), ticks: numbers[2] + numbers[3],
		rss: numbers[4] * int64(os.Getpagesize())}, nil
}

type usage struct {
	ticks int64
	rss   int64
	// The processes
	pids []int
	// Ticks of the threads that compile in JVMs, by thread id
	compilers map[int]int64
}

// compilerShare is what part of the CPU since then the compilers of JVMs took, if there is a JVM. A thread that
// has ended is not counted: on many cores a JVM ends idle compilers, but for two.
func (u usage) compilerShare(before usage) (share float64, known bool) {
	all := u.ticks - before.ticks
	if len(u.compilers) == 0 || all <= 0 {
		return 0, false
	}
	sum := int64(0)
	for thread, ticks := range u.compilers {
		sum += ticks - before.compilers[thread]
	}
	return math.Min(float64(sum)/float64(all), 1), true
}

// addCompilers takes the threads C1 and C2, as the kernel shortens their names to 15 bytes.
func (u *usage) addCompilers(pid int) {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/[0-9]*/stat", pid))
	for _, file := range files {
		if line, err := os.ReadFile(file); err == nil {
			thread, err := parseStat(string(line))
			if err == nil && (thread.name == "C1 CompilerThre" || thread.name == "C2 CompilerThre") {
				u.compilers[thread.pid] = thread.ticks
			}
		}
	}
}

// serverUsage adds up the processes and all their descendants.
func serverUsage(pids string) (usage, error) {
	all := map[int]process{}
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range files {
		// A process may have ended meanwhile
		if line, err := os.ReadFile(file); err == nil {
			if p, err := parseStat(string(line)); err == nil {
				all[p.pid] = p
			}
		}
	}
	roots := map[int]bool{}
	for _, value := range strings.Split(pids, ",") {
		pid, err := strconv.Atoi(value)
		if err != nil {
			return usage{}, fmt.Errorf("'%s' is no process id", value)
		}
		if _, found := all[pid]; !found {
			return usage{}, fmt.Errorf("the server's process %d has ended", pid)
		}
		roots[pid] = true
	}
	sum := usage{compilers: map[int]int64{}}
	for _, p := range all {
		if descends(p, roots, all) {
			sum.ticks += p.ticks
			sum.rss += p.rss
			sum.pids = append(sum.pids, p.pid)
			if p.name == "java" {
				sum.addCompilers(p.pid)
			}
		}
	}
	return sum, nil
}

func descends(p process, roots map[int]bool, all map[int]process) bool {
	for found := true; found; p, found = all[p.parent] {
		if roots[p.pid] {
			return true
		}
	}
	return false
}
