// Command ask uploads a CSV file, asks a question of it, and prints answer, table and verification:
//
//	go run ./examples/ask localhost:7400 orders.csv "revenue by region"
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"
	"google.golang.org/protobuf/types/known/durationpb"

	"assay.internal/assay"
	commonv1 "assay.internal/gen/assay/common/v1"
)

func main() {
	if len(os.Args) != 4 {
		log.Fatal("usage: ask SERVER FILE QUESTION; the token is read from ASSAY_TOKEN")
	}
	if err := run(context.Background(), os.Args[1], os.Args[2], os.Args[3]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, server, path, question string) error {
	client, err := assay.Dial(server, assay.Options{
		Token: os.Getenv("ASSAY_TOKEN"), AuthorityFile: os.Getenv("ASSAY_SERVER_AUTHORITY"),
	})
	if err != nil {
		return err
	}
	defer client.Close()
	session, err := client.OpenSession(ctx, question)
	if err != nil {
		return err
	}
	file, err := client.UploadFile(ctx, session.GetSessionId(), path)
	if err != nil {
		return err
	}
	job, err := client.Ask(ctx, &commonv1.AnalysisRequest{
		Intent:      question,
		Constraints: &commonv1.Constraints{Timeout: durationpb.New(2 * time.Minute)},
		DataSources: []*commonv1.DataSource{{Place: &commonv1.DataSource_FileId{FileId: file.GetFileId()}}},
	}, session.GetSessionId())
	if err != nil {
		return err
	}
	return show(ctx, client, job)
}

func show(ctx context.Context, client *assay.Client, job *commonv1.Job) error {
	if asked := job.GetClarification(); asked != nil {
		fmt.Println("unclear    ", asked.GetQuestion())
		for number, option := range asked.GetOptions() {
			fmt.Printf("            %d  %s\n", number+1, option.GetText())
		}
		return nil
	}
	if failure := job.GetFailure(); failure != nil {
		return fmt.Errorf("%s: %s %s", failure.GetReason(), failure.GetMessage(), failure.GetHint())
	}
	fmt.Println("understood ", job.GetUnderstood())
	for _, caveat := range job.GetAnswer().GetCaveats() {
		fmt.Println("note       ", caveat)
	}
	fmt.Println("answer     ", job.GetAnswer().GetText())
	if frame := job.GetAnswer().GetTable(); frame != nil {
		table, err := client.ReadFrame(ctx, job.GetJobId(), frame)
		if err != nil {
			return err
		}
		defer table.Release()
		rows := array.NewTableReader(table, 20)
		defer rows.Release()
		if rows.Next() {
			fmt.Println(rows.RecordBatch())
		}
	}
	checked, err := client.Verify(ctx, job.GetJobId())
	if err != nil {
		return err
	}
	for _, check := range checked.GetChecks() {
		fmt.Printf("%-11s %s\n", check.GetName(), check.GetDetail())
	}
	return nil
}
