package batch

import (
	"context"
	"slices"
)

// Run runs scenarios, so many at a time, and returns their results in the order of the list. Two that have a name in
// common never run at the same time. A scenario with faults is not run. When ctx ends, no scenario begins any more;
// those that run are to end by themselves. ended is called after each, one at a time.
func Run(ctx context.Context, list []Scenario, jobs int, run func(context.Context, *Scenario) Result,
	ended func(*Result)) []Result {
	results := make([]Result, len(list))
	waiting, running := make([]int, len(list)), map[int]bool{}
	for i := range list {
		waiting[i] = i
	}
	done := make(chan int)
	take := func(i int, r Result) {
		results[i] = r
		results[i].of(&list[i])
		ended(&results[i])
	}
	for len(waiting) > 0 || len(running) > 0 {
		k := next(list, waiting, running)
		switch {
		case len(waiting) > 0 && ctx.Err() != nil:
			take(waiting[0], Result{Outcome: NotRun, Message: "the batch was interrupted before its turn"})
			waiting = waiting[1:]
		case k >= 0 && list[waiting[k]].Faults != "":
			take(waiting[k], Result{Outcome: Invalid, ExitCode: invalidExit, Message: list[waiting[k]].Faults})
			waiting = slices.Delete(waiting, k, k+1)
		case k >= 0 && len(running) < jobs:
			i := waiting[k]
			waiting = slices.Delete(waiting, k, k+1)
			running[i] = true
			go func() {
				results[i] = run(ctx, &list[i])
				done <- i
			}()
		default:
			select {
			case i := <-done:
				delete(running, i)
				take(i, results[i])
			case <-interrupted(ctx, len(waiting)):
			}
		}
	}
	return results
}

// interrupted is closed when scenarios that wait will not begin; it never is when none wait.
func interrupted(ctx context.Context, waiting int) <-chan struct{} {
	if waiting == 0 {
		return nil
	}
	return ctx.Done()
}

// next returns the first scenario that waits and has no name in common with one that runs; -1: there is none.
func next(list []Scenario, waiting []int, running map[int]bool) int {
	return slices.IndexFunc(waiting, func(i int) bool {
		for k := range running {
			if slices.ContainsFunc(list[i].names,
				func(name string) bool { return slices.Contains(list[k].names, name) }) {
				return false
			}
		}
		return true
	})
}
