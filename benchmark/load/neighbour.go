package main

import (
	"io"
	"time"
)

// neighbour keeps half a core busy, 5 ms of each 10 ms, until its input ends. Whoever started it has closed the input then, or
// is gone. Returns how long it was busy.
func neighbour(input io.Reader) time.Duration {
	ended := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, input)
		close(ended)
	}()
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	busy := time.Duration(0)
	for {
		select {
		case <-ended:
			return busy
		case <-ticker.C:
			start := time.Now()
			for time.Since(start) < 5*time.Millisecond {
			}
			busy += time.Since(start)
		}
	}
}
