CREATE TABLE "approval" (
	"id" text PRIMARY KEY NOT NULL,
	"job_id" text NOT NULL,
	"rule_id" text NOT NULL,
	"policy_name" text NOT NULL,
	"policy_version" integer NOT NULL,
	"role" "role" NOT NULL,
	"quote" jsonb NOT NULL,
	"requested_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"state" text DEFAULT 'open' NOT NULL,
	"up_to_micro_usd" bigint,
	"decided_by" text,
	"decided_at" timestamp (3) with time zone,
	"note" text,
	CONSTRAINT "approval_decided_iff" CHECK (("approval"."state" = 'open') = ("approval"."decided_at" is null)),
	CONSTRAINT "approval_granted_amount" CHECK (("approval"."state" = 'granted') = ("approval"."up_to_micro_usd" is not null))
);
--> statement-breakpoint
CREATE TABLE "audit_seal" (
	"sequence" bigint PRIMARY KEY NOT NULL,
	"audit_id" bigint NOT NULL,
	"hash" text NOT NULL,
	"sealed_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "backtest" (
	"id" text PRIMARY KEY NOT NULL,
	"policy_name" text NOT NULL,
	"base_version" integer NOT NULL,
	"source" text NOT NULL,
	"from_time" timestamp (3) with time zone NOT NULL,
	"to_time" timestamp (3) with time zone NOT NULL,
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
CREATE TABLE "policy_draft" (
	"name" text NOT NULL,
	"account_id" text NOT NULL,
	"base_version" integer NOT NULL,
	"source" text NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "policy_draft_name_account_id_pk" PRIMARY KEY("name","account_id")
);
--> statement-breakpoint
CREATE TABLE "policy_publication" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"version" integer NOT NULL,
	"kind" text NOT NULL,
	"published_at" timestamp (3) with time zone NOT NULL,
	"published_by" text NOT NULL,
	"approved_by" text,
	"backtest_id" text
);
--> statement-breakpoint
CREATE TABLE "shadow" (
	"id" text PRIMARY KEY NOT NULL,
	"policy_name" text NOT NULL,
	"base_version" integer NOT NULL,
	"source" text NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"started_by" text NOT NULL,
	"stopped_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "shadow_decision" (
	"shadow_id" text NOT NULL,
	"job_id" text NOT NULL,
	"decided_at" timestamp (3) with time zone NOT NULL,
	"agrees" boolean NOT NULL,
	"published" jsonb NOT NULL,
	"draft" jsonb NOT NULL,
	CONSTRAINT "shadow_decision_shadow_id_job_id_pk" PRIMARY KEY("shadow_id","job_id")
);
--> statement-breakpoint
ALTER TABLE "audit" ADD COLUMN "via" text;--> statement-breakpoint
ALTER TABLE "audit" ADD COLUMN "source" text;--> statement-breakpoint
ALTER TABLE "policy" ADD COLUMN "managed_by" jsonb;--> statement-breakpoint
ALTER TABLE "policy_version" ADD COLUMN "base_version" integer;--> statement-breakpoint
ALTER TABLE "policy_version" ADD COLUMN "origin" jsonb;--> statement-breakpoint
ALTER TABLE "approval" ADD CONSTRAINT "approval_job_id_job_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."job"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "shadow_decision" ADD CONSTRAINT "shadow_decision_shadow_id_shadow_id_fk" FOREIGN KEY ("shadow_id") REFERENCES "public"."shadow"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "approval_open_job" ON "approval" USING btree ("job_id") WHERE "approval"."state" = 'open';--> statement-breakpoint
CREATE INDEX "approval_requested" ON "approval" USING btree ("requested_at" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "approval_job" ON "approval" USING btree ("job_id");--> statement-breakpoint
CREATE UNIQUE INDEX "audit_seal_line" ON "audit_seal" USING btree ("audit_id");--> statement-breakpoint
CREATE INDEX "backtest_pending" ON "backtest" USING btree ("created_at") WHERE "backtest"."state" in ('queued', 'running');--> statement-breakpoint
CREATE INDEX "backtest_created" ON "backtest" USING btree ("policy_name","created_at" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "policy_publication_time" ON "policy_publication" USING btree ("name","published_at");--> statement-breakpoint
CREATE UNIQUE INDEX "shadow_running" ON "shadow" USING btree ("policy_name") WHERE "shadow"."stopped_at" is null;--> statement-breakpoint
CREATE INDEX "shadow_decision_time" ON "shadow_decision" USING btree ("shadow_id","decided_at");--> statement-breakpoint
-- Every version so far was published when it was written.
INSERT INTO "policy_publication" SELECT 'pub_before_' || "name" || '_' || "version", "name", "version", 'publish', "created_at", "author", NULL, NULL FROM "policy_version";
--> statement-breakpoint
CREATE TRIGGER policy_publication_insert_only BEFORE UPDATE OR DELETE ON "policy_publication" FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change();
--> statement-breakpoint
CREATE TRIGGER audit_seal_insert_only BEFORE UPDATE OR DELETE ON "audit_seal" FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change();
