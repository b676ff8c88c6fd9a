package main

import (
	"math"
	"sort"
	"sync"
	"time"
)

type latency struct {
	Mean float64 `json:"mean"`
	P50  float64 `json:"p50"`
	P95  float64 `json:"p95"`
	P99  float64 `json:"p99"`
	P999 float64 `json:"p999"`
	Max  float64 `json:"max"`
}

type measurement struct {
	Requests          int            `json:"requests"`
	Errors            int            `json:"errors"`
	CPUMicros         *float64       `json:"cpu_us_per_request"`
	Latency           *latency       `json:"latency_us"`
	RequestsPerSecond *float64       `json:"requests_per_second"`
	RSS               int64          `json:"rss_bytes"`
	Details           map[string]any `json:"details"`
}

// recorder collects what requests report, from many goroutines.
type recorder struct {
	mutex     sync.Mutex
	measuring bool
	micros    []float64
	errors    int
	failures  map[string]int
	full      int
	resumed   int
	suites    map[string]int
	start     time.Time
	before    usage
}

func newRecorder() *recorder {
	return &recorder{failures: map[string]int{}, suites: map[string]int{}}
}

// begin starts to measure; what was reported before is forgotten, but for errors.
func (r *recorder) begin(pids string) error {
	before, err := serverUsage(pids)
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.before, r.start, r.measuring, r.micros = before, time.Now(), true, nil
	return err
}

func (r *recorder) report(duration time.Duration, err error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if err != nil {
		r.errors++
		if len(r.failures) < 10 {
			r.failures[err.Error()]++
		}
	} else if r.measuring {
		r.micros = append(r.micros, float64(duration)/float64(time.Microsecond))
	}
}

func (r *recorder) connected(suite string, resumed bool) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.suites[suite]++
	if resumed {
		r.resumed++
	} else {
		r.full++
	}
}

func (r *recorder) end(pids string) (*measurement, error) {
	seconds := time.Since(r.start).Seconds()
	after, err := serverUsage(pids)
	if err != nil {
		return nil, err
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.measuring = false
	m := &measurement{Requests: len(r.micros), Errors: r.errors, RSS: after.rss, Latency: summarize(r.micros),
		Details: map[string]any{"seconds": seconds, "full_handshakes": r.full, "resumed_handshakes": r.resumed,
			"suites": r.suites, "failures": r.failures, "cpu_ticks": after.ticks - r.before.ticks}}
	if share, known := after.compilerShare(r.before); known {
		m.Details["compiler_cpu_share"] = share
	}
	if m.Requests > 0 {
		cpu := float64(after.ticks-r.before.ticks) * tickMicros / float64(m.Requests)
		rate := float64(m.Requests) / seconds
		m.CPUMicros, m.RequestsPerSecond = &cpu, &rate
	}
	return m, nil
}

func summarize(micros []float64) *latency {
	if len(micros) == 0 {
		return nil
	}
	sort.Float64s(micros)
	sum := 0.0
	for _, value := range micros {
		sum += value
	}
	return &latency{Mean: sum / float64(len(micros)), P50: percentile(micros, 50), P95: percentile(micros, 95),
		P99: percentile(micros, 99), P999: percentile(micros, 99.9), Max: micros[len(micros)-1]}
}

// percentile is the nearest rank: the smallest value that at least that part of all does not exceed.
func percentile(sorted []float64, percent float64) float64 {
	rank := int(math.Ceil(percent / 100 * float64(len(sorted))))
	if rank < 1 {
		rank = 1
	}
	return sorted[rank-1]
}
