package check

import "time"

// The limits of one step.
const (
	// CallTimeout is how long one call of a learner's function may take before it
	// is reported as one that does not return.
	CallTimeout = 20 * time.Second
	// StepTimeout is how long the judgement of one step may take in all, without
	// a wait for other checks.
	StepTimeout = 90 * time.Second
	// outputLimit is how many bytes a step may print before it counts as a flood.
	outputLimit = 4 << 20
	// outputShown is how many bytes of the output are shown at most, half of them
	// from the head and half from the end of what is kept.
	outputShown = 4 << 10
	// outputKept is how many bytes of the output's end are kept in memory.
	outputKept = 16 * outputShown
	// floodShown is how many bytes of a line of a flood are shown, which may be all of it.
	floodShown = 200
)
