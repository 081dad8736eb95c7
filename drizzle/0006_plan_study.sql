CREATE TABLE "plan_study" (
	"id" text PRIMARY KEY NOT NULL,
	"source" text NOT NULL,
	"name" text NOT NULL,
	"trace" text,
	"settings" jsonb NOT NULL,
	"state" text DEFAULT 'queued' NOT NULL,
	"progress_permille" integer DEFAULT 0 NOT NULL,
	"result" jsonb,
	"error" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"created_by" text NOT NULL,
	"started_at" timestamp (3) with time zone,
	"finished_at" timestamp (3) with time zone,
	"heartbeat_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE INDEX "plan_study_pending" ON "plan_study" USING btree ("created_at") WHERE "plan_study"."state" in ('queued', 'running');--> statement-breakpoint
CREATE INDEX "plan_study_created" ON "plan_study" USING btree ("created_at" DESC NULLS FIRST);