package main

import (
	"errors"
	"fmt"
	"syscall"
	"time"
)

// How often to look whether the server listens
const firstPause = 2 * time.Millisecond

// first waits for a server that is starting, and sends it one request on its first connection: the server's CPU is that of
// the start only, as nothing is refused.
func first(o options) error {
	c, err := newClient(o, newRecorder())
	if err != nil {
		return err
	}
	request := c.head(o, 0, true)
	for end := time.Now().Add(o.duration); ; time.Sleep(firstPause) {
		err := c.once(request, false)
		if !errors.Is(err, syscall.ECONNREFUSED) {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("the server does not listen after %s", o.duration)
		}
	}
}
