CREATE TYPE "public"."attempt_state" AS ENUM('starting', 'staging', 'running', 'stopping', 'succeeded', 'failed', 'interrupted', 'evicted', 'cancelled', 'lost');--> statement-breakpoint
CREATE TYPE "public"."capacity_type" AS ENUM('owned', 'reserved', 'on_demand', 'spot');--> statement-breakpoint
CREATE TYPE "public"."charge_kind" AS ENUM('compute', 'idle', 'egress', 'storage', 'adjustment');--> statement-breakpoint
CREATE TYPE "public"."granularity" AS ENUM('hour', 'day', 'month');--> statement-breakpoint
CREATE TYPE "public"."hold_state" AS ENUM('pending', 'posted', 'voided');--> statement-breakpoint
CREATE TYPE "public"."instance_state" AS ENUM('intended', 'requested', 'provisioning', 'ready', 'draining', 'terminating', 'terminated');--> statement-breakpoint
CREATE TYPE "public"."job_state" AS ENUM('held', 'queued', 'admitted', 'running', 'succeeded', 'failed', 'cancelled');--> statement-breakpoint
CREATE TYPE "public"."log_stream" AS ENUM('stdout', 'stderr', 'spillway');--> statement-breakpoint
CREATE TYPE "public"."provider" AS ENUM('local', 'slurm', 'kubernetes', 'aws', 'azure', 'gcp');--> statement-breakpoint
CREATE TYPE "public"."role" AS ENUM('platform', 'data_scientist', 'finance');--> statement-breakpoint
CREATE TYPE "public"."workload_class" AS ENUM('baseline', 'burst', 'experimental', 'sensitive', 'batch_inference');--> statement-breakpoint
CREATE TABLE "account" (
	"id" text PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"name" text NOT NULL,
	"role" "role" NOT NULL,
	"teams" text[] DEFAULT '{}'::text[] NOT NULL,
	"demo" boolean DEFAULT false NOT NULL,
	"password_hash" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"disabled_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "api_token" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"name" text NOT NULL,
	"hash" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "team" (
	"name" text PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE "allocation" (
	"id" text PRIMARY KEY NOT NULL,
	"attempt_id" text NOT NULL,
	"job_id" text NOT NULL,
	"site_id" text NOT NULL,
	"pool_id" text NOT NULL,
	"slots" integer[] NOT NULL,
	"micro_usd_per_gpu_hour" bigint NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"metered_until" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "attempt" (
	"id" text PRIMARY KEY NOT NULL,
	"job_id" text NOT NULL,
	"number" integer NOT NULL,
	"state" "attempt_state" DEFAULT 'starting' NOT NULL,
	"placement" jsonb NOT NULL,
	"site_id" text NOT NULL,
	"capacity_type" "capacity_type" NOT NULL,
	"gpus" integer NOT NULL,
	"slots" integer[] DEFAULT '{}'::integer[] NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"handed_over_at" timestamp (3) with time zone,
	"staging_at" timestamp (3) with time zone,
	"started_at" timestamp (3) with time zone,
	"stop_requested_at" timestamp (3) with time zone,
	"stop_reason" jsonb,
	"finished_at" timestamp (3) with time zone,
	"reason" jsonb,
	"exit_code" integer,
	"exit_signal" text,
	"log_lines" integer DEFAULT 0 NOT NULL,
	"log_cursor" jsonb,
	"last_heard_at" timestamp (3) with time zone,
	CONSTRAINT "attempt_final_has_reason" CHECK (("attempt"."finished_at" is null) or ("attempt"."reason" is not null)),
	CONSTRAINT "attempt_finished_iff_final" CHECK (("attempt"."state" in ('succeeded','failed','interrupted','evicted','cancelled','lost')) = ("attempt"."finished_at" is not null))
);
--> statement-breakpoint
CREATE TABLE "audit" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"actor" text NOT NULL,
	"action" text NOT NULL,
	"subject" text NOT NULL,
	"before" jsonb,
	"after" jsonb,
	"request_id" text
);
--> statement-breakpoint
CREATE TABLE "budget_period" (
	"budget_id" text NOT NULL,
	"period_key" text NOT NULL,
	"posted_micro_usd" bigint DEFAULT 0 NOT NULL,
	"held_micro_usd" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "budget_period_budget_id_period_key_pk" PRIMARY KEY("budget_id","period_key"),
	CONSTRAINT "budget_period_held_not_negative" CHECK ("budget_period"."held_micro_usd" >= 0)
);
--> statement-breakpoint
CREATE TABLE "hold" (
	"id" text PRIMARY KEY NOT NULL,
	"instance_id" text NOT NULL,
	"amount_micro_usd" bigint NOT NULL,
	"posted_micro_usd" bigint DEFAULT 0 NOT NULL,
	"state" "hold_state" DEFAULT 'pending' NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"closed_at" timestamp (3) with time zone,
	CONSTRAINT "hold_instanceId_unique" UNIQUE("instance_id"),
	CONSTRAINT "hold_amount_positive" CHECK ("hold"."amount_micro_usd" > 0)
);
--> statement-breakpoint
CREATE TABLE "hold_budget" (
	"hold_id" text NOT NULL,
	"budget_id" text NOT NULL,
	"period_key" text NOT NULL,
	CONSTRAINT "hold_budget_hold_id_budget_id_pk" PRIMARY KEY("hold_id","budget_id")
);
--> statement-breakpoint
CREATE TABLE "charge" (
	"id" text PRIMARY KEY NOT NULL,
	"period_start" timestamp (3) with time zone NOT NULL,
	"period_end" timestamp (3) with time zone NOT NULL,
	"team" text NOT NULL,
	"project" text NOT NULL,
	"class" text NOT NULL,
	"site_id" text NOT NULL,
	"provider" "provider" NOT NULL,
	"region" text NOT NULL,
	"capacity_type" "capacity_type" NOT NULL,
	"accelerator" text NOT NULL,
	"kind" charge_kind NOT NULL,
	"job_id" text,
	"attempt_id" text,
	"instance_id" text,
	"allocation_id" text,
	"pool_id" text,
	"carbon_quality" text NOT NULL,
	"gpu_ms" bigint NOT NULL,
	"list_micro_usd" bigint NOT NULL,
	"contracted_micro_usd" bigint NOT NULL,
	"effective_micro_usd" bigint NOT NULL,
	"billed_micro_usd" bigint NOT NULL,
	"energy_milli_wh" bigint NOT NULL,
	"emissions_milligrams" bigint,
	CONSTRAINT "charge_has_cause" CHECK (num_nonnulls("charge"."instance_id", "charge"."allocation_id", "charge"."pool_id") = 1),
	CONSTRAINT "charge_period_order" CHECK ("charge"."period_start" < "charge"."period_end"),
	CONSTRAINT "charge_within_hour" CHECK (date_trunc('hour', "charge"."period_start", 'UTC') = date_trunc('hour', "charge"."period_end" - interval '1 millisecond', 'UTC'))
);
--> statement-breakpoint
CREATE TABLE "rollup" (
	"granularity" "granularity" NOT NULL,
	"bucket_start" timestamp (3) with time zone NOT NULL,
	"team" text NOT NULL,
	"project" text NOT NULL,
	"class" text NOT NULL,
	"site_id" text NOT NULL,
	"provider" "provider" NOT NULL,
	"region" text NOT NULL,
	"capacity_type" "capacity_type" NOT NULL,
	"accelerator" text NOT NULL,
	"kind" charge_kind NOT NULL,
	"gpu_ms" bigint NOT NULL,
	"list_micro_usd" bigint NOT NULL,
	"contracted_micro_usd" bigint NOT NULL,
	"effective_micro_usd" bigint NOT NULL,
	"billed_micro_usd" bigint NOT NULL,
	"energy_milli_wh" bigint NOT NULL,
	"emissions_milligrams" bigint NOT NULL,
	"charges" bigint NOT NULL,
	CONSTRAINT "rollup_granularity_bucket_start_team_project_class_site_id_provider_region_capacity_type_accelerator_kind_pk" PRIMARY KEY("granularity","bucket_start","team","project","class","site_id","provider","region","capacity_type","accelerator","kind")
);
--> statement-breakpoint
CREATE TABLE "checkpoint" (
	"id" text PRIMARY KEY NOT NULL,
	"job_id" text NOT NULL,
	"attempt_id" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"files" integer NOT NULL,
	"bytes" bigint NOT NULL,
	"completed_ms" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "decision" (
	"id" text PRIMARY KEY NOT NULL,
	"job_id" text NOT NULL,
	"decided_at" timestamp (3) with time zone NOT NULL,
	"attempt_number" integer,
	"policy_name" text NOT NULL,
	"policy_version" integer NOT NULL,
	"explanation" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "event" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"kind" text NOT NULL,
	"job_id" text,
	"instance_id" text,
	"site_id" text,
	"team" text,
	"reason" jsonb
);
--> statement-breakpoint
CREATE TABLE "idempotency_key" (
	"account_id" text NOT NULL,
	"key" text NOT NULL,
	"request_hash" text NOT NULL,
	"status" integer NOT NULL,
	"response" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "idempotency_key_account_id_key_pk" PRIMARY KEY("account_id","key")
);
--> statement-breakpoint
CREATE TABLE "instance" (
	"id" text PRIMARY KEY NOT NULL,
	"site_id" text NOT NULL,
	"provider" "provider" NOT NULL,
	"provider_instance_id" text,
	"state" "instance_state" DEFAULT 'intended' NOT NULL,
	"region" text NOT NULL,
	"zone" text,
	"instance_type" text NOT NULL,
	"capacity_type" "capacity_type" NOT NULL,
	"accelerator" text NOT NULL,
	"gpus" integer NOT NULL,
	"offer" jsonb NOT NULL,
	"micro_usd_per_hour" bigint NOT NULL,
	"job_id" text NOT NULL,
	"attempt_id" text NOT NULL,
	"intended_at" timestamp (3) with time zone NOT NULL,
	"requested_at" timestamp (3) with time zone,
	"last_call_at" timestamp (3) with time zone,
	"calls" integer DEFAULT 0 NOT NULL,
	"last_error" text,
	"launched_at" timestamp (3) with time zone,
	"ready_at" timestamp (3) with time zone,
	"interruption_at" timestamp (3) with time zone,
	"terminating_at" timestamp (3) with time zone,
	"terminate_calls" integer DEFAULT 0 NOT NULL,
	"last_terminate_call_at" timestamp (3) with time zone,
	"terminated_at" timestamp (3) with time zone,
	"last_seen_at" timestamp (3) with time zone,
	"last_heard_at" timestamp (3) with time zone,
	"reason" jsonb,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"bootstrap_hash" text,
	"agent_token_hash" text,
	"metered_until" timestamp (3) with time zone,
	"cost_micro_usd" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "instance_price_positive" CHECK ("instance"."micro_usd_per_hour" > 0),
	CONSTRAINT "instance_terminated_iff_time" CHECK (("instance"."state" = 'terminated') = ("instance"."terminated_at" is not null)),
	CONSTRAINT "instance_known_from_provisioning" CHECK ("instance"."state" not in ('provisioning','ready') or "instance"."provider_instance_id" is not null)
);
--> statement-breakpoint
CREATE TABLE "job" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"team" text NOT NULL,
	"project" text DEFAULT '' NOT NULL,
	"class" "workload_class" NOT NULL,
	"priority" smallint NOT NULL,
	"gpus" integer NOT NULL,
	"spec" jsonb NOT NULL,
	"state" "job_state" DEFAULT 'queued' NOT NULL,
	"reason" jsonb NOT NULL,
	"forecast" jsonb,
	"placement" jsonb,
	"attempts" integer DEFAULT 0 NOT NULL,
	"submitted_by" text NOT NULL,
	"submitted_at" timestamp (3) with time zone NOT NULL,
	"pending_since" timestamp (3) with time zone NOT NULL,
	"started_at" timestamp (3) with time zone,
	"finished_at" timestamp (3) with time zone,
	"deadline_at" timestamp (3) with time zone,
	"cancel_requested_at" timestamp (3) with time zone,
	"cancel_requested_by" text,
	"completed_ms" bigint DEFAULT 0 NOT NULL,
	"approved_micro_usd" bigint,
	"cost_micro_usd" bigint DEFAULT 0 NOT NULL,
	"emissions_milligrams" bigint DEFAULT 0 NOT NULL,
	"synthetic" boolean DEFAULT false NOT NULL,
	CONSTRAINT "job_finished_iff_final" CHECK (("job"."state" in ('succeeded','failed','cancelled')) = ("job"."finished_at" is not null)),
	CONSTRAINT "job_gpus_positive" CHECK ("job"."gpus" > 0)
);
--> statement-breakpoint
CREATE TABLE "job_log" (
	"attempt_id" text NOT NULL,
	"number" integer NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"stream" "log_stream" NOT NULL,
	"text" text NOT NULL,
	CONSTRAINT "job_log_attempt_id_number_pk" PRIMARY KEY("attempt_id","number")
);
--> statement-breakpoint
CREATE TABLE "offer" (
	"id" text PRIMARY KEY NOT NULL,
	"site_id" text NOT NULL,
	"provider" "provider" NOT NULL,
	"region" text NOT NULL,
	"zone" text,
	"instance_type" text NOT NULL,
	"accelerator" text NOT NULL,
	"gpus" integer NOT NULL,
	"vcpus" integer NOT NULL,
	"memory_gi_b" real NOT NULL,
	"capacity_type" "capacity_type" NOT NULL,
	"micro_usd_per_hour" bigint,
	"on_demand_micro_usd_per_hour" bigint,
	"price_observed_at" timestamp (3) with time zone NOT NULL,
	"price_source" text NOT NULL,
	"seen_at" timestamp (3) with time zone NOT NULL,
	"backoff_until" timestamp (3) with time zone,
	"backoff_reason" text,
	"refusals" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "offer_price" (
	"offer_id" text NOT NULL,
	"observed_at" timestamp (3) with time zone NOT NULL,
	"micro_usd_per_hour" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "policy" (
	"name" text PRIMARY KEY NOT NULL,
	"active_version" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "policy_version" (
	"name" text NOT NULL,
	"version" integer NOT NULL,
	"source" text NOT NULL,
	"author" text NOT NULL,
	"message" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "policy_version_name_version_pk" PRIMARY KEY("name","version")
);
--> statement-breakpoint
CREATE TABLE "setting" (
	"key" text PRIMARY KEY NOT NULL,
	"value" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "pool" (
	"id" text NOT NULL,
	"site_id" text NOT NULL,
	"accelerator" text NOT NULL,
	"nodes" integer NOT NULL,
	"gpus_per_node" integer NOT NULL,
	"unavailable_slots" integer[] NOT NULL,
	"micro_usd_per_gpu_hour" bigint NOT NULL,
	"watts_per_gpu" integer NOT NULL,
	"idle_metered_until" timestamp (3) with time zone,
	"owned_since" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "pool_site_id_id_pk" PRIMARY KEY("site_id","id")
);
--> statement-breakpoint
CREATE TABLE "site" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"provider" "provider" NOT NULL,
	"enabled" boolean DEFAULT true NOT NULL,
	"settings" jsonb NOT NULL,
	"healthy" boolean DEFAULT false NOT NULL,
	"health_message" text,
	"last_seen_at" timestamp (3) with time zone,
	"last_sweep" jsonb,
	"last_orphan_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "api_token" ADD CONSTRAINT "api_token_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "allocation" ADD CONSTRAINT "allocation_attempt_id_attempt_id_fk" FOREIGN KEY ("attempt_id") REFERENCES "public"."attempt"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "allocation" ADD CONSTRAINT "allocation_job_id_job_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."job"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "attempt" ADD CONSTRAINT "attempt_job_id_job_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."job"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "hold_budget" ADD CONSTRAINT "hold_budget_hold_id_hold_id_fk" FOREIGN KEY ("hold_id") REFERENCES "public"."hold"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "checkpoint" ADD CONSTRAINT "checkpoint_job_id_job_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."job"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "decision" ADD CONSTRAINT "decision_job_id_job_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."job"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "instance" ADD CONSTRAINT "instance_job_id_job_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."job"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "instance" ADD CONSTRAINT "instance_attempt_id_attempt_id_fk" FOREIGN KEY ("attempt_id") REFERENCES "public"."attempt"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pool" ADD CONSTRAINT "pool_site_id_site_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."site"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "account_email" ON "account" USING btree (lower("email"));--> statement-breakpoint
CREATE UNIQUE INDEX "api_token_hash" ON "api_token" USING btree ("hash");--> statement-breakpoint
CREATE UNIQUE INDEX "allocation_attempt" ON "allocation" USING btree ("attempt_id");--> statement-breakpoint
CREATE INDEX "allocation_open" ON "allocation" USING btree ("pool_id") WHERE "allocation"."ended_at" is null;--> statement-breakpoint
CREATE INDEX "allocation_unmetered" ON "allocation" USING btree ("id") WHERE "allocation"."ended_at" is null or "allocation"."metered_until" is null or "allocation"."metered_until" < "allocation"."ended_at";--> statement-breakpoint
CREATE INDEX "allocation_times" ON "allocation" USING btree ("pool_id","started_at");--> statement-breakpoint
CREATE UNIQUE INDEX "attempt_job_number" ON "attempt" USING btree ("job_id","number");--> statement-breakpoint
CREATE UNIQUE INDEX "attempt_one_live" ON "attempt" USING btree ("job_id") WHERE "attempt"."state" in ('starting','staging','running','stopping');--> statement-breakpoint
CREATE INDEX "attempt_live" ON "attempt" USING btree ("site_id") WHERE "attempt"."state" in ('starting','staging','running','stopping');--> statement-breakpoint
CREATE INDEX "attempt_times" ON "attempt" USING btree ("created_at","finished_at");--> statement-breakpoint
CREATE INDEX "audit_subject" ON "audit" USING btree ("subject","at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "hold_pending" ON "hold" USING btree ("state") WHERE "hold"."state" = 'pending';--> statement-breakpoint
CREATE INDEX "charge_job" ON "charge" USING btree ("job_id");--> statement-breakpoint
CREATE INDEX "charge_period" ON "charge" USING btree ("period_start");--> statement-breakpoint
CREATE INDEX "checkpoint_job" ON "checkpoint" USING btree ("job_id","created_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "decision_job" ON "decision" USING btree ("job_id","decided_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "event_at" ON "event" USING btree ("at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "event_job" ON "event" USING btree ("job_id");--> statement-breakpoint
CREATE UNIQUE INDEX "instance_provider_id" ON "instance" USING btree ("site_id","provider_instance_id") WHERE "instance"."provider_instance_id" is not null;--> statement-breakpoint
CREATE INDEX "instance_live" ON "instance" USING btree ("state") WHERE "instance"."state" <> 'terminated';--> statement-breakpoint
CREATE INDEX "instance_attempt" ON "instance" USING btree ("attempt_id");--> statement-breakpoint
CREATE INDEX "instance_job" ON "instance" USING btree ("job_id");--> statement-breakpoint
CREATE INDEX "instance_intended" ON "instance" USING btree ("intended_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE UNIQUE INDEX "instance_agent_token" ON "instance" USING btree ("agent_token_hash") WHERE "instance"."agent_token_hash" is not null;--> statement-breakpoint
CREATE INDEX "job_live" ON "job" USING btree ("state","pending_since") WHERE "job"."state" in ('held','queued','admitted','running');--> statement-breakpoint
CREATE INDEX "job_submitted" ON "job" USING btree ("submitted_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "job_state_submitted" ON "job" USING btree ("state","submitted_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "job_team_submitted" ON "job" USING btree ("team","submitted_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "job_finished" ON "job" USING btree ("finished_at") WHERE "job"."finished_at" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "job_id_state" ON "job" USING btree ("id","state");--> statement-breakpoint
CREATE INDEX "offer_site" ON "offer" USING btree ("site_id");--> statement-breakpoint
CREATE INDEX "offer_price_time" ON "offer_price" USING btree ("offer_id","observed_at" DESC NULLS LAST);