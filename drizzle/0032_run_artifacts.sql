-- expands: earlier programs run on this schema
DROP INDEX "artifact_attempt_name";--> statement-breakpoint
ALTER TABLE "artifact" ADD COLUMN "run_id" text;--> statement-breakpoint
ALTER TABLE "artifact" ADD CONSTRAINT "artifact_run_id_tracking_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."tracking_run"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "artifact_attempt_output" ON "artifact" USING btree ("attempt_id","name") WHERE run_id is null;--> statement-breakpoint
CREATE UNIQUE INDEX "artifact_run_file" ON "artifact" USING btree ("run_id","name") WHERE run_id is not null and deleted_at is null;