-- expands: earlier programs run on this schema
CREATE TABLE "checkpoint_part" (
	"checkpoint_id" text NOT NULL,
	"rank" integer NOT NULL,
	"job_id" text NOT NULL,
	"attempt_id" text NOT NULL,
	"store_id" text NOT NULL,
	"step" bigint,
	"created_at" timestamp (3) with time zone NOT NULL,
	"committed_at" timestamp (3) with time zone,
	"bytes" bigint,
	"files" jsonb,
	CONSTRAINT "checkpoint_part_checkpoint_id_rank_pk" PRIMARY KEY("checkpoint_id","rank")
);
--> statement-breakpoint
CREATE TABLE "result_delivery" (
	"id" text PRIMARY KEY NOT NULL,
	"artifact_id" text NOT NULL,
	"target" text NOT NULL,
	"state" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"error" text,
	"next_at" timestamp (3) with time zone NOT NULL,
	"delivered_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "storage_limit" (
	"team" text PRIMARY KEY NOT NULL,
	"quota_bytes" bigint,
	"keep_ms" bigint
);
--> statement-breakpoint
CREATE TABLE "store" (
	"id" text PRIMARY KEY NOT NULL,
	"team" text NOT NULL,
	"name" text NOT NULL,
	"config" jsonb NOT NULL,
	"sealed_secret" text,
	"is_default" boolean NOT NULL,
	"micro_usd_per_gi_b_month" bigint,
	"created_at" timestamp (3) with time zone NOT NULL,
	"checked_at" timestamp (3) with time zone,
	"problem" text,
	"removed_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "artifact" ADD COLUMN "store_id" text;--> statement-breakpoint
ALTER TABLE "artifact" ADD COLUMN "residency" jsonb;--> statement-breakpoint
ALTER TABLE "attempt" ADD COLUMN "image_digest" text;--> statement-breakpoint
ALTER TABLE "checkpoint" ADD COLUMN "store_id" text;--> statement-breakpoint
ALTER TABLE "checkpoint" ADD COLUMN "step" bigint;--> statement-breakpoint
ALTER TABLE "checkpoint" ADD COLUMN "ranks" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "checkpoint" ADD COLUMN "problem" text;--> statement-breakpoint
ALTER TABLE "checkpoint" ADD COLUMN "pruned_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "instance" ADD COLUMN "restored_checkpoint" text;--> statement-breakpoint
ALTER TABLE "checkpoint_part" ADD CONSTRAINT "checkpoint_part_job_id_job_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."job"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "result_delivery" ADD CONSTRAINT "result_delivery_artifact_id_artifact_id_fk" FOREIGN KEY ("artifact_id") REFERENCES "public"."artifact"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "checkpoint_part_job" ON "checkpoint_part" USING btree ("job_id","checkpoint_id");--> statement-breakpoint
CREATE UNIQUE INDEX "result_delivery_target" ON "result_delivery" USING btree ("artifact_id","target");--> statement-breakpoint
CREATE INDEX "result_delivery_due" ON "result_delivery" USING btree ("state","next_at");--> statement-breakpoint
CREATE UNIQUE INDEX "store_name" ON "store" USING btree ("team","name") WHERE "store"."removed_at" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "store_default" ON "store" USING btree ("team") WHERE "store"."removed_at" is null and "store"."is_default";--> statement-breakpoint
CREATE INDEX "job_data" ON "job" USING gin (("spec"->'data') jsonb_path_ops) WHERE "job"."spec"->'data' <> '[]'::jsonb;