package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Linux tells CPU times in units of USER_HZ, 100 per second on all its architectures of today (time(7)).
const tickMicros = 10_000

type process struct {
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
	return process{pid: int(numbers[0]), parent: int(numbers[1]), ticks: numbers[2] + numbers[3],
		rss: numbers[4] * int64(os.Getpagesize())}, nil
}

type usage struct {
	ticks int64
	rss   int64
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
	var sum usage
	for _, p := range all {
		if descends(p, roots, all) {
			sum.ticks += p.ticks
			sum.rss += p.rss
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
