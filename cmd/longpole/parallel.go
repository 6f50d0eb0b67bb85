package main

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// inParallel calls do(0) to do(n-1), as many at once as there are processors, and returns when all are done.
func inParallel(n int, do func(i int)) {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	workers.Wait()
}
