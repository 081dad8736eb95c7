-- expands: earlier programs run on this schema
CREATE TABLE "job_lineage" (
	"job_id" text PRIMARY KEY NOT NULL,
	"start_sent_at" timestamp (3) with time zone NOT NULL,
	"end_sent_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "job_lineage" ADD CONSTRAINT "job_lineage_job_id_job_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."job"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "job_lineage_end" ON "job_lineage" USING btree ("end_sent_at");