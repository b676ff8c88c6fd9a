package main

import (
	"errors"
	"os"
	"strconv"
	"testing"
	"time"
)

func TestPercentileIsNearestRank(t *testing.T) {
	var values []float64
	for i := 1; i <= 200; i++ {
		values = append(values, float64(i))
	}
	for percent, expected := range map[float64]float64{50: 100, 95: 190, 99: 198, 100: 200} {
		if actual := percentile(values, percent); actual != expected {
			t.Errorf("p%v is %v instead of %v", percent, actual, expected)
		}
	}
	if actual := percentile([]float64{7}, 99); actual != 7 {
		t.Errorf("p99 of one value is %v", actual)
	}
}

func TestSummaryOfNothingIsNone(t *testing.T) {
	if summarize(nil) != nil {
		t.Error("there is a summary of nothing")
	}
}

func TestStatWithParenthesesInTheName(t *testing.T) {
	line := "42 (a (b) c) S 7 42 42 0 -1 4194560 1 0 0 0 250 50 9 9 20 0 1 0 100 4096 3 0"
	p, err := parseStat(line)
	if err != nil || p.pid != 42 || p.parent != 7 || p.ticks != 300 || p.rss != 3*int64(os.Getpagesize()) {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := parseStat("42 (short) S 7"); err == nil {
		t.Error("a short line was accepted")
	}
}

func TestUsageOfThisProcess(t *testing.T) {
	sum, err := serverUsage(strconv.Itoa(os.Getpid()))
	if err != nil || sum.rss == 0 {
		t.Errorf("%+v, %v", sum, err)
	}
	if _, err := serverUsage("999999999"); err == nil {
		t.Error("a process that has ended was accepted")
	}
}

func TestErrorsOfTheWarmUpCountAndItsRequestsDoNot(t *testing.T) {
	pid := strconv.Itoa(os.Getpid())
	r := newRecorder()
	r.report(time.Second, nil)
	r.report(time.Second, errors.New("refused"))
	if err := r.begin(pid); err != nil {
		t.Fatal(err)
	}
	r.report(3*time.Millisecond, nil)
	m, err := r.end(pid)
	if err != nil || m.Requests != 1 || m.Errors != 1 || m.Latency.Max != 3000 {
		t.Errorf("%+v, %v", m, err)
	}
}
