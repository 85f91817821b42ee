package main

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"google.golang.org/protobuf/types/known/durationpb"

	"assay.internal/assay"
	commonv1 "assay.internal/gen/assay/common/v1"
	gatewayv1 "assay.internal/gen/assay/gateway/v1"
)

type verb func(context.Context, *runner, *assay.Client, arguments) (any, error)

// verbs are the calls that the script knows; clients/conformance/README.md says what each gives.
var verbs map[string]verb

func init() {
	verbs = map[string]verb{
		"session": openSession, "upload": upload, "upload_made": uploadMade, "preview": preview, "ask": ask,
		"submit": submit, "watch": watch, "leave": leave, "job": job, "cancel": cancel, "answer": answer,
		"frame": frame, "download": download, "file": file, "verify": verify, "say": say, "id": newID,
	}
}

// arguments are those of a step.
type arguments object

func (a arguments) text(name string) string {
	value, _ := a[name].(string)
	return value
}

func (a arguments) number(name string) float64 {
	value, _ := a[name].(float64)
	return value
}

func (a arguments) texts(name string) []string {
	given, _ := a[name].([]any)
	made := make([]string, len(given))
	for place, one := range given {
		made[place], _ = one.(string)
	}
	return made
}

func newID(context.Context, *runner, *assay.Client, arguments) (any, error) {
	return object{"id": assay.NewID()}, nil
}

func openSession(ctx context.Context, _ *runner, client *assay.Client, with arguments) (any, error) {
	session, err := client.OpenSession(ctx, with.text("title"))
	return object{"session": session.GetSessionId(), "title": session.GetTitle()}, err
}

func told(file *gatewayv1.File) any {
	return object{
		"file": file.GetFileId(), "name": file.GetOriginalName(), "rows": file.GetRowCount(),
		"duplicate": file.GetDuplicate(), "sha256": file.GetContentHash(), "bytes": file.GetSizeBytes(),
	}
}

func upload(ctx context.Context, r *runner, client *assay.Client, with arguments) (any, error) {
	path := filepath.Join(r.settings.Fixtures, with.text("name"))
	file, err := client.UploadFile(ctx, with.text("session"), path)
	return told(file), err
}

func uploadMade(ctx context.Context, _ *runner, client *assay.Client, with arguments) (any, error) {
	rows := strings.Repeat(with.text("line"), int(with.number("times")))
	content := with.text("head") + rows
	size := int64(-1)
	if announced, _ := with["announced"].(bool); announced {
		size = int64(len(content))
	}
	file, err := client.Upload(ctx, with.text("session"), with.text("name"), strings.NewReader(content), size)
	return told(file), err
}

func preview(ctx context.Context, _ *runner, client *assay.Client, with arguments) (any, error) {
	seen, err := client.Preview(ctx, with.text("file"))
	if err != nil {
		return nil, err
	}
	tables := []any{}
	for _, table := range seen.GetTables() {
		columns, rows := []any{}, []any{}
		for _, column := range table.GetColumns() {
			kind := strings.TrimPrefix(column.GetDataType().String(), "COLUMN_DATA_TYPE_")
			columns = append(columns, column.GetName()+" "+kind)
		}
		for _, row := range table.GetRows() {
			cells := []any{}
			for _, cell := range row.GetCells() {
				if cell.Text == nil {
					cells = append(cells, nil)
				} else {
					cells = append(cells, cell.GetText())
				}
			}
			rows = append(rows, cells)
		}
		tables = append(tables, object{"rows": table.GetRowCount(), "columns": columns, "first": rows})
	}
	return object{"tables": tables}, nil
}

// question is what a step asks, of uploaded files.
func question(with arguments) *commonv1.AnalysisRequest {
	made := &commonv1.AnalysisRequest{
		Intent: with.text("question"), Statement: with.text("statement"), DataSources: sources(with),
	}
	made.Assume, _ = with["assume"].(bool)
	if blocked := with.texts("blocked"); len(blocked) > 0 {
		made.Policy = &commonv1.Policy{BlockedPatterns: blocked}
	}
	if seconds := with.number("timeout"); seconds > 0 {
		limit := durationpb.New(time.Duration(seconds * float64(time.Second)))
		made.Constraints = &commonv1.Constraints{Timeout: limit}
	}
	return made
}

func sources(with arguments) []*commonv1.DataSource {
	made := []*commonv1.DataSource{}
	for _, id := range with.texts("files") {
		made = append(made, &commonv1.DataSource{Place: &commonv1.DataSource_FileId{FileId: id}})
	}
	return made
}

func ask(ctx context.Context, _ *runner, client *assay.Client, with arguments) (any, error) {
	ended, err := client.Ask(ctx, question(with), with.text("session"))
	if err != nil {
		return nil, err
	}
	return ofJob(ended), nil
}

func submit(ctx context.Context, _ *runner, client *assay.Client, with arguments) (any, error) {
	stored, err := client.Submit(ctx, &gatewayv1.CreateJobRequest{
		RequestId: with.text("request"), SessionId: with.text("session"),
		Work: &gatewayv1.CreateJobRequest_Analysis{Analysis: question(with)},
	})
	return object{"job": stored.GetJobId()}, err
}

func watch(ctx context.Context, _ *runner, client *assay.Client, with arguments) (any, error) {
	sequences, last, end := []int64{}, "", int64(0)
	for event, err := range client.Watch(ctx, with.text("job"), int64(with.number("after"))) {
		if err != nil {
			return nil, err
		}
		end = event.GetSequence()
		if kind := outcome(event); kind != "" {
			last = kind
		}
		sequences = append(sequences, end)
	}
	return object{"sequences": sequences, "last": last, "end": end}, nil
}

// leave watches so many events and no more.
func leave(ctx context.Context, _ *runner, client *assay.Client, with arguments) (any, error) {
	sequences := []int64{}
	for event, err := range client.Watch(ctx, with.text("job"), 0) {
		if err != nil {
			return nil, err
		}
		sequences = append(sequences, event.GetSequence())
		if len(sequences) == int(with.number("events")) {
			break
		}
	}
	return object{"sequences": sequences, "last": sequences[len(sequences)-1]}, nil
}

func job(ctx context.Context, _ *runner, client *assay.Client, with arguments) (any, error) {
	found, err := client.Job(ctx, with.text("job"))
	if err != nil {
		return nil, err
	}
	return ofJob(found), nil
}

func cancel(ctx context.Context, _ *runner, client *assay.Client, with arguments) (any, error) {
	stopped, err := client.Cancel(ctx, with.text("job"))
	return object{"job": stopped.GetJobId()}, err
}

func answer(ctx context.Context, _ *runner, client *assay.Client, with arguments) (any, error) {
	request := &gatewayv1.AnswerJobRequest{
		JobId: with.text("job"), Reply: &gatewayv1.AnswerJobRequest_OptionId{OptionId: with.text("option")},
	}
	answered, err := client.Jobs.AnswerJob(ctx, request)
	return object{"job": answered.GetJob().GetJobId()}, err
}

func verify(ctx context.Context, _ *runner, client *assay.Client, with arguments) (any, error) {
	found, err := client.Verify(ctx, with.text("job"))
	checks := object{}
	for _, check := range found.GetChecks() {
		checks[check.GetName()] = check.GetOk()
	}
	return object{"ok": found.GetOk(), "checks": checks}, err
}

// download fetches the artifact of a media type.
func download(ctx context.Context, _ *runner, client *assay.Client, with arguments) (any, error) {
	ended, err := client.Job(ctx, with.text("job"))
	if err != nil {
		return nil, err
	}
	for _, artifact := range ended.GetAnswer().GetArtifacts() {
		if artifact.GetMediaType() == with.text("type") {
			var content bytes.Buffer
			err := client.Download(ctx, artifact, &content)
			first, _, _ := strings.Cut(content.String(), "\n")
			return object{"bytes": content.Len(), "first": strings.TrimRight(first, "\r")}, err
		}
	}
	return object{"missing": with.text("type")}, nil
}

// file fetches an uploaded file again.
func file(ctx context.Context, _ *runner, client *assay.Client, with arguments) (any, error) {
	digest := newDigest()
	err := client.DownloadFile(ctx, with.text("file"), digest)
	return object{"sha256": digest.hex()}, err
}

func say(ctx context.Context, _ *runner, client *assay.Client, with arguments) (any, error) {
	request := &gatewayv1.AskRequest{
		ConversationId: with.text("conversation"), SessionId: with.text("session"), Content: with.text("content"),
	}
	if named := sources(with); len(named) > 0 {
		request.Terms = &commonv1.AnalysisRequest{DataSources: named}
	}
	kinds, conversation, jobID := []string{}, "", ""
	for told, err := range client.Say(ctx, request) {
		if err != nil {
			return nil, err
		}
		switch one := told.GetTold().(type) {
		case *gatewayv1.AskResponse_Asked:
			kinds = append(kinds, "asked")
			conversation = one.Asked.GetConversation().GetConversationId()
		case *gatewayv1.AskResponse_Reading:
			kinds = append(kinds, "reading")
		case *gatewayv1.AskResponse_Response:
			kinds = append(kinds, "response")
			jobID = one.Response.GetJobId()
		}
	}
	ended, err := client.Job(ctx, jobID)
	if err != nil {
		return nil, err
	}
	return object{"conversation": conversation, "kinds": kinds, "turn": ofJob(ended)}, nil
}

// frame is the table of a job's answer or an Arrow file, with types and values as the script has them.
func frame(ctx context.Context, _ *runner, client *assay.Client, with arguments) (any, error) {
	table, err := tableOf(ctx, client, with)
	if err != nil {
		return nil, err
	}
	defer table.Release()
	made, err := ofTable(table)
	if brief, _ := with["brief"].(bool); brief && err == nil {
		return object{"columns": made["columns"], "count": table.NumRows()}, nil
	}
	return made, err
}

func tableOf(ctx context.Context, client *assay.Client, with arguments) (arrow.Table, error) {
	if id := with.text("file"); id != "" {
		return client.ReadFileFrame(ctx, id)
	}
	ended, err := client.Job(ctx, with.text("job"))
	if err != nil {
		return nil, err
	}
	return client.ReadFrame(ctx, ended.GetJobId(), ended.GetAnswer().GetTable())
}
