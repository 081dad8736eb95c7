CREATE TABLE "pipeline" (
	"id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"name" text NOT NULL,
	"team" text NOT NULL,
	"project" text DEFAULT '' NOT NULL,
	"labels" jsonb NOT NULL,
	"parameters" jsonb NOT NULL,
	"graph" jsonb NOT NULL,
	"quote" jsonb,
	"state" text DEFAULT 'running' NOT NULL,
	"runs" integer NOT NULL,
	"counts" jsonb NOT NULL,
	"parallel" integer,
	"deadline_at" timestamp (3) with time zone,
	"budget_micro_usd" bigint,
	"submitted_by" text NOT NULL,
	"submitted_at" timestamp (3) with time zone NOT NULL,
	"finished_at" timestamp (3) with time zone,
	"cancel_requested_by" text,
	CONSTRAINT "pipeline_finished_iff_final" CHECK (("pipeline"."state" in ('succeeded','failed','cancelled')) = ("pipeline"."finished_at" is not null)),
	CONSTRAINT "pipeline_runs_positive" CHECK ("pipeline"."runs" > 0)
);
--> statement-breakpoint
CREATE TABLE "pipeline_hold" (
	"pipeline_id" text NOT NULL,
	"budget_id" text NOT NULL,
	"period_key" text NOT NULL,
	"left_micro_usd" bigint NOT NULL,
	CONSTRAINT "pipeline_hold_pipeline_id_budget_id_pk" PRIMARY KEY("pipeline_id","budget_id"),
	CONSTRAINT "pipeline_hold_not_negative" CHECK ("pipeline_hold"."left_micro_usd" >= 0)
);
--> statement-breakpoint
CREATE TABLE "pipeline_job" (
	"job_id" text PRIMARY KEY NOT NULL,
	"pipeline_id" text NOT NULL,
	"run" integer NOT NULL,
	"created_at_ms" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "pipeline_run" (
	"pipeline_id" text NOT NULL,
	"index" integer NOT NULL,
	"step" integer NOT NULL,
	"name" text NOT NULL,
	"values" jsonb NOT NULL,
	"spec" jsonb NOT NULL,
	"state" text DEFAULT 'waiting' NOT NULL,
	"job_id" text,
	"tries" integer DEFAULT 0 NOT NULL,
	"exit_code" integer,
	"why" text,
	"finished_at" timestamp (3) with time zone,
	CONSTRAINT "pipeline_run_pipeline_id_index_pk" PRIMARY KEY("pipeline_id","index"),
	CONSTRAINT "pipeline_run_submitted_has_job" CHECK ("pipeline_run"."state" <> 'submitted' or "pipeline_run"."job_id" is not null)
);
--> statement-breakpoint
ALTER TABLE "pipeline_hold" ADD CONSTRAINT "pipeline_hold_pipeline_id_pipeline_id_fk" FOREIGN KEY ("pipeline_id") REFERENCES "public"."pipeline"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pipeline_job" ADD CONSTRAINT "pipeline_job_job_id_job_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."job"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pipeline_job" ADD CONSTRAINT "pipeline_job_pipeline_id_pipeline_id_fk" FOREIGN KEY ("pipeline_id") REFERENCES "public"."pipeline"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pipeline_run" ADD CONSTRAINT "pipeline_run_pipeline_id_pipeline_id_fk" FOREIGN KEY ("pipeline_id") REFERENCES "public"."pipeline"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pipeline_run" ADD CONSTRAINT "pipeline_run_job_id_job_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."job"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "pipeline_live" ON "pipeline" USING btree ("id") WHERE "pipeline"."state" in ('running','cancelling');--> statement-breakpoint
CREATE INDEX "pipeline_submitted" ON "pipeline" USING btree ("submitted_at" DESC NULLS FIRST,"id" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "pipeline_team_submitted" ON "pipeline" USING btree ("team","submitted_at" DESC NULLS FIRST,"id" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "pipeline_job_pipeline" ON "pipeline_job" USING btree ("pipeline_id","run");--> statement-breakpoint
CREATE INDEX "pipeline_run_live" ON "pipeline_run" USING btree ("job_id") WHERE "pipeline_run"."state" = 'submitted';
--> statement-breakpoint
CREATE FUNCTION spillway_check_run_transition() RETURNS trigger
	LANGUAGE plpgsql
	AS $$
BEGIN
	IF OLD.state IS DISTINCT FROM NEW.state AND NOT EXISTS (
		SELECT 1 FROM state_transition WHERE machine = 'pipeline_run' AND from_state = OLD.state AND to_state = NEW.state
	) THEN
		RAISE EXCEPTION 'illegal transition of run % of %: % -> %', OLD.index, OLD.pipeline_id, OLD.state, NEW.state
			USING ERRCODE = 'check_violation', CONSTRAINT = 'pipeline_run_transition';
	END IF;
	RETURN NEW;
END;
$$;
--> statement-breakpoint
CREATE TRIGGER pipeline_transition BEFORE UPDATE OF state ON pipeline FOR EACH ROW EXECUTE FUNCTION spillway_check_transition('pipeline');
--> statement-breakpoint
CREATE TRIGGER pipeline_run_transition BEFORE UPDATE OF state ON pipeline_run FOR EACH ROW EXECUTE FUNCTION spillway_check_run_transition();
--> statement-breakpoint
-- The moves of server/domain/states.ts. A test holds the two equal.
INSERT INTO state_transition (machine, from_state, to_state) VALUES
	('pipeline', 'running', 'cancelling'),
	('pipeline', 'running', 'succeeded'),
	('pipeline', 'running', 'failed'),
	('pipeline', 'running', 'cancelled'),
	('pipeline', 'cancelling', 'succeeded'),
	('pipeline', 'cancelling', 'failed'),
	('pipeline', 'cancelling', 'cancelled'),
	('pipeline', 'succeeded', 'running'),
	('pipeline', 'failed', 'running'),
	('pipeline', 'cancelled', 'running'),
	('pipeline_run', 'waiting', 'submitted'),
	('pipeline_run', 'waiting', 'skipped'),
	('pipeline_run', 'waiting', 'cancelled'),
	('pipeline_run', 'submitted', 'waiting'),
	('pipeline_run', 'submitted', 'succeeded'),
	('pipeline_run', 'submitted', 'failed'),
	('pipeline_run', 'submitted', 'cancelled'),
	('pipeline_run', 'succeeded', 'waiting'),
	('pipeline_run', 'failed', 'waiting'),
	('pipeline_run', 'skipped', 'waiting'),
	('pipeline_run', 'cancelled', 'waiting');
