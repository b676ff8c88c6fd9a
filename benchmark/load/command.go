package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// runCommand runs another load generator. What it counted is in its output.
func runCommand(o options, command []string) (*measurement, error) {
	if len(command) == 0 {
		return nil, fmt.Errorf("no command")
	}
	before, err := serverUsage(o.pids)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), o.duration)
	defer cancel()
	output, err := os.Create(o.output)
	if err != nil {
		return nil, err
	}
	defer output.Close()
	start := time.Now()
	process := exec.CommandContext(ctx, command[0], command[1:]...)
	process.Stdout, process.Stderr = output, os.Stderr
	if err := process.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w", command[0], err)
	}
	after, err := serverUsage(o.pids)
	if err != nil {
		return nil, err
	}
	m := &measurement{RSS: after.rss, Details: map[string]any{"seconds": time.Since(start).Seconds(),
		"cpu_us": (after.ticks - before.ticks) * tickMicros, "command": command}}
	if share, known := after.compilerShare(before); known {
		m.Details["compiler_cpu_share"] = share
	}
	return m, nil
}
