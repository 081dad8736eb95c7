CREATE TABLE "artifact" (
	"id" text PRIMARY KEY NOT NULL,
	"job_id" text NOT NULL,
	"attempt_id" text NOT NULL,
	"team" text NOT NULL,
	"name" text NOT NULL,
	"kind" text NOT NULL,
	"files" integer NOT NULL,
	"bytes" bigint NOT NULL,
	"digest" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "artifact_file" (
	"artifact_id" text NOT NULL,
	"path" text NOT NULL,
	"bytes" bigint NOT NULL,
	"sha256" text NOT NULL,
	"media_type" text NOT NULL,
	CONSTRAINT "artifact_file_artifact_id_path_pk" PRIMARY KEY("artifact_id","path")
);
--> statement-breakpoint
ALTER TABLE "artifact" ADD CONSTRAINT "artifact_job_id_job_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."job"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "artifact_file" ADD CONSTRAINT "artifact_file_artifact_id_artifact_id_fk" FOREIGN KEY ("artifact_id") REFERENCES "public"."artifact"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "artifact_attempt_name" ON "artifact" USING btree ("attempt_id","name");--> statement-breakpoint
CREATE INDEX "artifact_job" ON "artifact" USING btree ("job_id","created_at");--> statement-breakpoint
CREATE INDEX "artifact_team" ON "artifact" USING btree ("team","created_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "artifact_expiry" ON "artifact" USING btree ("expires_at");