-- expands: earlier programs run on this schema
CREATE TABLE "mlflow_forward" (
	"run_id" text PRIMARY KEY NOT NULL,
	"job_id" text NOT NULL,
	"remote_run_id" text,
	"points" integer DEFAULT 0 NOT NULL,
	"sent_at" timestamp (3) with time zone,
	"failures" integer DEFAULT 0 NOT NULL,
	"error" text,
	"retry_at" timestamp (3) with time zone,
	"changed_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "mlflow_forward" ADD CONSTRAINT "mlflow_forward_job_id_job_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."job"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "mlflow_forward_job" ON "mlflow_forward" USING btree ("job_id");--> statement-breakpoint
CREATE INDEX "mlflow_forward_changed" ON "mlflow_forward" USING btree ("changed_at");