// Command conformance performs the script of clients/conformance with the Go client: one line of JSON for
// each step, with what it gave. Whether that is right is judged by whoever started it.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"
	"time"

	"assay.internal/assay"
)

type object = map[string]any

type step struct {
	Call     string  `json:"call"`
	As       string  `json:"as"`
	Via      string  `json:"via"`
	Deadline float64 `json:"deadline"`
	With     object  `json:"with"`
	Save     string  `json:"save"`
}

type script struct {
	Cases []struct {
		Name  string `json:"name"`
		Steps []step `json:"steps"`
	} `json:"cases"`
}

type settings struct {
	Targets   map[string]string `json:"targets"`
	Authority string            `json:"authority"`
	Tokens    map[string]string `json:"tokens"`
	Fixtures  string            `json:"fixtures"`
}

// runner is what steps share.
type runner struct {
	settings settings
	clients  map[string]*assay.Client
	saved    object
	input    *bufio.Reader
	output   *json.Encoder
}

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: conformance SCRIPT SETTINGS")
	}
	var wanted script
	running := runner{
		clients: map[string]*assay.Client{}, input: bufio.NewReader(os.Stdin), output: json.NewEncoder(os.Stdout),
	}
	read(os.Args[1], &wanted)
	read(os.Args[2], &running.settings)
	for _, one := range wanted.Cases {
		running.saved = object{}
		for number, step := range one.Steps {
			running.tell(object{"case": one.Name, "step": number, "result": running.perform(step)})
		}
	}
}

func read(path string, into any) {
	content, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(content, into)
	}
	if err != nil {
		log.Fatal(err)
	}
}

func (r *runner) tell(line object) {
	if err := r.output.Encode(line); err != nil {
		log.Fatal(err)
	}
}

// perform makes one step; a refusal is a result like another.
func (r *runner) perform(wanted step) any {
	given, err := r.filled(wanted.With)
	if err != nil {
		return object{"broken": err.Error()}
	}
	with := arguments(given.(object))
	if wanted.Call == "outside" {
		return r.outside(with)
	}
	verb, known := verbs[wanted.Call]
	if !known {
		return object{"broken": "no call is named " + wanted.Call}
	}
	client, err := r.client(wanted)
	if err != nil {
		return object{"broken": err.Error()}
	}
	ctx := context.Background()
	if wanted.Deadline > 0 {
		within, cancel := context.WithTimeout(ctx, time.Duration(wanted.Deadline*float64(time.Second)))
		defer cancel()
		ctx = within
	}
	result, err := verb(ctx, r, client, with)
	if err != nil {
		result = refusal(err)
	}
	if wanted.Save != "" {
		r.saved[wanted.Save] = plain(result)
	}
	return result
}

func refusal(err error) any {
	var known *assay.Error
	if !errors.As(err, &known) {
		return object{"broken": err.Error()}
	}
	return object{"error": object{
		"reason": known.Reason, "status": statusName(known.Code), "retryable": known.Retryable,
		"message": known.Message, "remedy": known.Remedy, "fields": known.Fields,
	}}
}

// outside has whoever started this do something to the mesh, and waits until it says what came of it.
func (r *runner) outside(with arguments) any {
	r.tell(object{"outside": with})
	line, err := r.input.ReadBytes('\n')
	var answer any
	if err == nil {
		err = json.Unmarshal(line, &answer)
	}
	if err != nil {
		log.Fatal(err)
	}
	return answer
}

// client is that of a caller and a way; it is kept, as programs do.
func (r *runner) client(wanted step) (*assay.Client, error) {
	name := wanted.As + "/" + wanted.Via
	if client, has := r.clients[name]; has {
		return client, nil
	}
	caller, way := wanted.As, wanted.Via
	if caller == "" {
		caller = "analyst"
	}
	if way == "" {
		way = "direct"
	}
	client, err := assay.Dial(r.settings.Targets[way], assay.Options{
		Token: r.settings.Tokens[caller], AuthorityFile: r.settings.Authority,
	})
	r.clients[name] = client
	return client, err
}

// filled has what earlier steps gave in place of "$name.path".
func (r *runner) filled(value any) (any, error) {
	switch one := value.(type) {
	case nil:
		return object{}, nil
	case string:
		if !strings.HasPrefix(one, "$") {
			return one, nil
		}
		var found any = r.saved
		for _, part := range strings.Split(one[1:], ".") {
			inner, err := member(found, part)
			if err != nil {
				return nil, fmt.Errorf("no step gave %s", one)
			}
			found = inner
		}
		return found, nil
	case object:
		made := object{}
		for name, inner := range one {
			filled, err := r.filled(inner)
			if err != nil {
				return nil, err
			}
			made[name] = filled
		}
		return made, nil
	case []any:
		made := make([]any, len(one))
		for place, inner := range one {
			filled, err := r.filled(inner)
			if err != nil {
				return nil, err
			}
			made[place] = filled
		}
		return made, nil
	default:
		return value, nil
	}
}

// member is that of an object by its name, or of a list by its place.
func member(holder any, name string) (any, error) {
	switch one := holder.(type) {
	case object:
		if inner, has := one[name]; has {
			return inner, nil
		}
	case []any:
		if place, err := strconv.Atoi(name); err == nil && place < len(one) {
			return one[place], nil
		}
	}
	return nil, errors.New("no such member")
}

// plain is a value as JSON has it.
func plain(value any) any {
	content, err := json.Marshal(value)
	var made any
	if err == nil {
		err = json.Unmarshal(content, &made)
	}
	if err != nil {
		log.Fatal(err)
	}
	return made
}
