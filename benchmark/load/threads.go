package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// thread is what a thread has used since it was started.
type thread struct {
	name                          string
	nanos, voluntary, involuntary int64
}

// threadUse is what a thread took for a request, on average.
type threadUse struct {
	ID          int     `json:"id"`
	Name        string  `json:"name"`
	CPUMicros   float64 `json:"cpu_us"`
	Voluntary   float64 `json:"voluntary_switches"`
	Involuntary float64 `json:"involuntary_switches"`
}

// threads are those that are alive, by their ids.
type threads map[int]thread

var switches = regexp.MustCompile(`(?m)^(non)?voluntary_ctxt_switches:\s*(\d+)$`)

func threadsOf(pids []int) threads {
	found := threads{}
	for _, pid := range pids {
		folders, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/[0-9]*", pid))
		for _, folder := range folders {
			// A thread may have ended meanwhile
			t, err := readThread(folder)
			id, _ := strconv.Atoi(filepath.Base(folder))
			if err == nil {
				found[id] = t
			}
		}
	}
	return found
}

// readThread reads a folder /proc/PID/task/TID (proc(5)).
func readThread(folder string) (thread, error) {
	var texts [3]string
	for i, name := range []string{"comm", "schedstat", "status"} {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return thread{}, err
		}
		texts[i] = string(text)
	}
	t := thread{name: strings.TrimSpace(texts[0])}
	nanos, _, _ := strings.Cut(texts[1], " ")
	var err error
	if t.nanos, err = strconv.ParseInt(nanos, 10, 64); err != nil {
		return thread{}, err
	}
	for _, match := range switches.FindAllStringSubmatch(texts[2], -1) {
		count, err := strconv.ParseInt(match[2], 10, 64)
		if err != nil {
			return thread{}, err
		}
		if match[1] == "" {
			t.voluntary = count
		} else {
			t.involuntary = count
		}
	}
	return t, nil
}

// since is what the threads that have worked since then have used. A thread that has ended is not among them.
func (t threads) since(before threads, requests int) []threadUse {
	var uses []threadUse
	for id, now := range t {
		then := before[id]
		if now.nanos != then.nanos {
			uses = append(uses, threadUse{id, now.name, float64(now.nanos-then.nanos) / 1000 / float64(requests),
				float64(now.voluntary-then.voluntary) / float64(requests),
				float64(now.involuntary-then.involuntary) / float64(requests)})
		}
	}
	return uses
}
