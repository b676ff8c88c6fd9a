package main

import (
	"fmt"
	"math"
	"os"
	"time"
)

// By what part the CPU per request of two windows may differ
const steadyWithin = 0.05

// untilSteady measures windows of o.requests requests each, until two in a row need about the same CPU per
// request, or there were o.windows of them. It tells of the last one, and ends with the first error.
func untilSteady(r *recorder, o options, ended <-chan struct{}) (*measurement, error) {
	var cpu []float64
	for {
		if err := r.begin(o.pids); err != nil {
			return nil, err
		}
		await(r, o.requests, ended)
		m, err := r.end(o.pids)
		if err != nil {
			return nil, err
		}
		if m.CPUMicros != nil {
			cpu = append(cpu, *m.CPUMicros)
		}
		steady := isSteady(cpu)
		if m.Errors > 0 || steady || len(cpu) >= o.windows {
			m.Details["windows_cpu_us"], m.Details["steady"] = cpu, steady
			if !steady && o.windows > 1 {
				fmt.Fprintf(os.Stderr, "not steady yet: %.0f us of CPU per request to %s, in windows of %d\n", cpu, o.url, o.requests)
			}
			return m, nil
		}
	}
}

func await(r *recorder, requests int, ended <-chan struct{}) {
	for served, failed := r.counted(); served < requests && failed == 0; served, failed = r.counted() {
		select {
		case <-ended:
			return
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func isSteady(values []float64) bool {
	if len(values) < 2 {
		return false
	}
	last, before := values[len(values)-1], values[len(values)-2]
	return math.Abs(last-before) < steadyWithin*math.Max(last, before)
}
