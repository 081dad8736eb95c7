-- expands: earlier programs run on this schema
CREATE TABLE "metric_point" (
	"run_id" text NOT NULL,
	"key" text NOT NULL,
	"step" bigint NOT NULL,
	"at_ms" bigint NOT NULL,
	"value" double precision NOT NULL,
	CONSTRAINT "metric_point_run_id_key_step_at_ms_pk" PRIMARY KEY("run_id","key","step","at_ms")
);
--> statement-breakpoint
CREATE TABLE "tracking_experiment" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"team" text NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "tracking_run" (
	"id" text PRIMARY KEY NOT NULL,
	"experiment_id" bigint NOT NULL,
	"team" text NOT NULL,
	"job_id" text,
	"name" text NOT NULL,
	"user_name" text NOT NULL,
	"status" text DEFAULT 'RUNNING' NOT NULL,
	"start_ms" bigint NOT NULL,
	"end_ms" bigint,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "tracking_value" (
	"run_id" text NOT NULL,
	"kind" text NOT NULL,
	"key" text NOT NULL,
	"value" text NOT NULL,
	CONSTRAINT "tracking_value_run_id_kind_key_pk" PRIMARY KEY("run_id","kind","key")
);
--> statement-breakpoint
CREATE TABLE "pipeline_template" (
	"team" text NOT NULL,
	"name" text NOT NULL,
	"version" integer NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"source" text NOT NULL,
	"saved_by" text NOT NULL,
	"saved_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "pipeline_template_team_name_pk" PRIMARY KEY("team","name")
);
--> statement-breakpoint
CREATE TABLE "trigger" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"team" text NOT NULL,
	"spec" jsonb NOT NULL,
	"sealed_secret" text,
	"enabled" boolean DEFAULT true NOT NULL,
	"created_by" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	"next_check_at" timestamp (3) with time zone,
	"checked_at" timestamp (3) with time zone,
	"next_at" timestamp (3) with time zone,
	"status" text,
	"failed" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "trigger_firing" (
	"trigger_id" text NOT NULL,
	"key" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"saw" jsonb NOT NULL,
	"pipeline_id" text,
	"error" text,
	CONSTRAINT "trigger_firing_trigger_id_key_pk" PRIMARY KEY("trigger_id","key")
);
--> statement-breakpoint
CREATE TABLE "trigger_object" (
	"trigger_id" text NOT NULL,
	"path" text NOT NULL,
	"version" text NOT NULL,
	"bytes" bigint NOT NULL,
	"seen_at" timestamp (3) with time zone NOT NULL,
	"firing" text,
	CONSTRAINT "trigger_object_trigger_id_path_pk" PRIMARY KEY("trigger_id","path")
);
--> statement-breakpoint
ALTER TABLE "pipeline" ADD COLUMN "stop" jsonb;--> statement-breakpoint
ALTER TABLE "pipeline" ADD COLUMN "trigger_id" text;--> statement-breakpoint
ALTER TABLE "pipeline_run" ADD COLUMN "stop_why" text;--> statement-breakpoint
ALTER TABLE "tracking_run" ADD CONSTRAINT "tracking_run_experiment_id_tracking_experiment_id_fk" FOREIGN KEY ("experiment_id") REFERENCES "public"."tracking_experiment"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tracking_run" ADD CONSTRAINT "tracking_run_job_id_job_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."job"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trigger_firing" ADD CONSTRAINT "trigger_firing_trigger_id_trigger_id_fk" FOREIGN KEY ("trigger_id") REFERENCES "public"."trigger"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trigger_firing" ADD CONSTRAINT "trigger_firing_pipeline_id_pipeline_id_fk" FOREIGN KEY ("pipeline_id") REFERENCES "public"."pipeline"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trigger_object" ADD CONSTRAINT "trigger_object_trigger_id_trigger_id_fk" FOREIGN KEY ("trigger_id") REFERENCES "public"."trigger"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "tracking_experiment_name" ON "tracking_experiment" USING btree ("team","name");--> statement-breakpoint
CREATE INDEX "tracking_run_experiment" ON "tracking_run" USING btree ("experiment_id","start_ms" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "tracking_run_job" ON "tracking_run" USING btree ("job_id");--> statement-breakpoint
CREATE INDEX "trigger_due" ON "trigger" USING btree ("next_check_at");--> statement-breakpoint
CREATE INDEX "trigger_team" ON "trigger" USING btree ("team","name");--> statement-breakpoint
CREATE INDEX "trigger_firing_at" ON "trigger_firing" USING btree ("trigger_id","at" DESC NULLS LAST);--> statement-breakpoint
-- A trial that is stopped early counts as skipped.
INSERT INTO state_transition (machine, from_state, to_state) VALUES ('pipeline_run', 'submitted', 'skipped');
