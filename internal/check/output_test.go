package check

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/client-go-workshop/internal/stepresult"
)

func TestAPanicInTheMiddleOfLongOutputIsFound(t *testing.T) {
	noise := strings.Repeat("a line of a log that says little\n", 2*outputShown/32)
	out := &tail{limit: outputLimit, flooded: func() {}}
	_, err := out.Write([]byte(noise + "panic: interface conversion\n\tat /x/05-some/main.go:7 +0x1\n" + noise))
	require.NoError(t, err)

	r := explain(stepresult.Result{Name: "Some", State: stepresult.NotRun}, &exec.ExitError{}, nil, out, "05-some")
	assert.Equal(t, "Some ended the program: panic: interface conversion", r.Seen)
	assert.Contains(t, r.Cause, "05-some/main.go:7")
	assert.Less(t, len(r.Output), 2*outputShown, "what is shown is cut")
}
