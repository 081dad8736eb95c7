-- expands: earlier programs run on this schema
CREATE TABLE "job_trace" (
	"job_id" text PRIMARY KEY NOT NULL,
	"trace_id" text NOT NULL,
	"parent_span_id" text,
	"trace_state" text,
	"received_at" timestamp (3) with time zone NOT NULL,
	"sent" text[] DEFAULT '{}'::text[] NOT NULL,
	"checked_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "job_trace" ADD CONSTRAINT "job_trace_job_id_job_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."job"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "job_trace_checked" ON "job_trace" USING btree ("checked_at" NULLS FIRST);