package runner

import "time"

// The limits of a whole chapter's checks; internal/check has those of one step.
const (
	// stepTime is how long a check may go without a new verdict. It is more than
	// what internal/check allows one step with a wait for other checks; that gives
	// up first and says why.
	stepTime = 5 * time.Minute
	// beginTime is how long the program may take to reach its first check.
	beginTime = 30 * time.Second
	// killDelay is how long output is still read after a program was ended.
	killDelay = 2 * time.Second
	// pollEvery is how often new verdicts are looked for.
	pollEvery = 100 * time.Millisecond
	// buildKept and runKept are how many bytes of a program's output are kept.
	buildKept = 256 << 10
	runKept   = 1 << 20
	// outputLimit is how many bytes a check may print before it is stopped.
	outputLimit = 64 << 20
	// tailShown is how many bytes of the output's end go with a step without a verdict.
	tailShown = 4 << 10
)
