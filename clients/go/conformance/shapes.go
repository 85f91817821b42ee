package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"google.golang.org/grpc/codes"

	commonv1 "assay.internal/gen/assay/common/v1"
)

// digesting hashes what is written.
type digesting struct{ hash.Hash }

func newDigest() digesting { return digesting{sha256.New()} }

func (d digesting) hex() string { return hex.EncodeToString(d.Sum(nil)) }

var statusNames = map[codes.Code]string{
	codes.Canceled: "CANCELLED", codes.InvalidArgument: "INVALID_ARGUMENT", codes.NotFound: "NOT_FOUND",
	codes.DeadlineExceeded: "DEADLINE_EXCEEDED", codes.AlreadyExists: "ALREADY_EXISTS",
	codes.PermissionDenied: "PERMISSION_DENIED", codes.ResourceExhausted: "RESOURCE_EXHAUSTED",
	codes.FailedPrecondition: "FAILED_PRECONDITION", codes.Unavailable: "UNAVAILABLE",
	codes.Unauthenticated: "UNAUTHENTICATED", codes.DataLoss: "DATA_LOSS", codes.Internal: "INTERNAL",
}

// statusName is a status as gRPC's documents write it.
func statusName(code codes.Code) string {
	if name, known := statusNames[code]; known {
		return name
	}
	return code.String()
}

// ofJob is what the script looks at of a job.
func ofJob(job *commonv1.Job) any {
	answer := job.GetAnswer()
	claims, options := []string{}, []any{}
	for _, claim := range answer.GetClaims() {
		claims = append(claims, claim.GetValue())
	}
	for _, option := range job.GetClarification().GetOptions() {
		options = append(options, object{"id": option.GetOptionId(), "text": option.GetText()})
	}
	return object{
		"job": job.GetJobId(), "state": strings.TrimPrefix(job.GetState().String(), "JOB_STATE_"),
		"answer": answer.GetText(), "claims": claims, "rows": answer.GetTable().GetRows(), "options": options,
		"reason": job.GetFailure().GetReason(), "understood": job.GetUnderstood(),
	}
}

// outcome names an event that a job ends or waits with; empty for any other.
func outcome(event *commonv1.JobEvent) string {
	switch event.GetEvent().(type) {
	case *commonv1.JobEvent_Answer:
		return "answer"
	case *commonv1.JobEvent_Failure:
		return "failure"
	case *commonv1.JobEvent_Clarification:
		return "clarification"
	default:
		return ""
	}
}

// ofTable is a table with types and values as the script writes them.
func ofTable(table arrow.Table) (object, error) {
	columns, rows := []string{}, make([][]any, table.NumRows())
	for place := range int(table.NumCols()) {
		column := table.Column(place)
		columns = append(columns, column.Name()+" "+typeName(column.DataType()))
		row := 0
		for _, chunk := range column.Data().Chunks() {
			for index := range chunk.Len() {
				value, err := cell(chunk, index)
				if err != nil {
					return nil, err
				}
				rows[row] = append(rows[row], value)
				row++
			}
		}
	}
	return object{"columns": columns, "rows": rows}, nil
}

func typeName(kind arrow.DataType) string {
	switch one := kind.(type) {
	case *arrow.Int8Type, *arrow.Int16Type, *arrow.Int32Type, *arrow.Int64Type:
		return "integer"
	case *arrow.Float32Type, *arrow.Float64Type:
		return "float"
	case *arrow.StringType, *arrow.LargeStringType, *arrow.StringViewType:
		return "text"
	case *arrow.BooleanType:
		return "boolean"
	case *arrow.Date32Type:
		return "date"
	case *arrow.TimestampType:
		return "timestamp"
	case *arrow.Decimal128Type:
		return fmt.Sprintf("decimal(%d,%d)", one.Precision, one.Scale)
	default:
		return kind.String()
	}
}

func cell(column arrow.Array, index int) (any, error) {
	if column.IsNull(index) {
		return nil, nil
	}
	switch one := column.(type) {
	case *array.Int8:
		return one.Value(index), nil
	case *array.Int16:
		return one.Value(index), nil
	case *array.Int32:
		return one.Value(index), nil
	case *array.Int64:
		return one.Value(index), nil
	case *array.Float32:
		return one.Value(index), nil
	case *array.Float64:
		return one.Value(index), nil
	case *array.Boolean:
		return one.Value(index), nil
	case *array.Date32:
		return one.Value(index).ToTime().Format(time.DateOnly), nil
	case *array.Timestamp:
		unit := one.DataType().(*arrow.TimestampType).Unit
		return one.Value(index).ToTime(unit).Format("2006-01-02T15:04:05"), nil
	case *array.Decimal128:
		return one.Value(index).ToString(one.DataType().(*arrow.Decimal128Type).Scale), nil
	case array.StringLike:
		return one.Value(index), nil
	default:
		return nil, fmt.Errorf("the script has no values of type %s", column.DataType())
	}
}
