CREATE TABLE "kept_machine" (
	"id" text PRIMARY KEY NOT NULL,
	"site_id" text NOT NULL,
	"provider" "provider" NOT NULL,
	"provider_instance_id" text NOT NULL,
	"region" text NOT NULL,
	"zone" text,
	"instance_type" text NOT NULL,
	"capacity_type" "capacity_type" NOT NULL,
	"accelerator" text NOT NULL,
	"gpus" integer NOT NULL,
	"micro_usd_per_hour" bigint,
	"list_micro_usd_per_hour" bigint,
	"job_id" text,
	"kept_by" text NOT NULL,
	"kept_at" timestamp (3) with time zone NOT NULL,
	"launched_at" timestamp (3) with time zone NOT NULL,
	"released_by" text,
	"released_at" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	"metered_until" timestamp (3) with time zone,
	"cost_micro_usd" bigint NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX "kept_machine_provider_id" ON "kept_machine" USING btree ("site_id","provider_instance_id");