ALTER TYPE "public"."charge_kind" ADD VALUE 'boot';
--> statement-breakpoint
ALTER TYPE "public"."charge_kind" ADD VALUE 'staging';
--> statement-breakpoint
ALTER TYPE "public"."charge_kind" ADD VALUE 'commitment';
--> statement-breakpoint
ALTER TYPE "public"."charge_kind" ADD VALUE 'credit';
--> statement-breakpoint
ALTER TYPE "public"."charge_kind" ADD VALUE 'tax';
--> statement-breakpoint
CREATE TABLE "alert" (
	"id" text PRIMARY KEY NOT NULL,
	"rule" text NOT NULL,
	"subject" text NOT NULL,
	"team" text,
	"facts" jsonb NOT NULL,
	"opened_at" timestamp (3) with time zone NOT NULL,
	"closed_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "channel" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"kind" text NOT NULL,
	"recipients" text[],
	"secret" text,
	"topics" text[] NOT NULL,
	"team" text,
	"enabled" boolean DEFAULT true NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"created_by" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "delivery" (
	"id" text PRIMARY KEY NOT NULL,
	"channel_id" text NOT NULL,
	"about" text NOT NULL,
	"message" jsonb NOT NULL,
	"state" text DEFAULT 'pending' NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"next_try_at" timestamp (3) with time zone NOT NULL,
	"last_error" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"sent_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "bill" (
	"id" text PRIMARY KEY NOT NULL,
	"file_name" text NOT NULL,
	"sha256" text NOT NULL,
	"focus_version" text NOT NULL,
	"columns" jsonb NOT NULL,
	"providers" text[] NOT NULL,
	"months" text[] NOT NULL,
	"rows" integer NOT NULL,
	"repeated_rows" integer NOT NULL,
	"billed_micro_usd" bigint NOT NULL,
	"imported_at" timestamp (3) with time zone NOT NULL,
	"imported_by" text NOT NULL,
	"reconciled_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "bill_line" (
	"id" text PRIMARY KEY NOT NULL,
	"bill_id" text NOT NULL,
	"row_number" integer NOT NULL,
	"content_hash" text NOT NULL,
	"provider_name" text NOT NULL,
	"month" text NOT NULL,
	"charge_category" text NOT NULL,
	"charge_class" text,
	"pricing_category" text,
	"period_start" timestamp (3) with time zone NOT NULL,
	"period_end" timestamp (3) with time zone NOT NULL,
	"resource_id" text,
	"region_id" text,
	"tagged_instance_id" text,
	"invoice_id" text,
	"list_nano_usd" bigint NOT NULL,
	"contracted_nano_usd" bigint NOT NULL,
	"effective_nano_usd" bigint NOT NULL,
	"billed_nano_usd" bigint NOT NULL,
	"values" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "reconciliation" (
	"month" text NOT NULL,
	"provider" text NOT NULL,
	"resource_id" text NOT NULL,
	"instance_id" text,
	"bill_id" text,
	"state" text NOT NULL,
	"estimated_micro_usd" bigint NOT NULL,
	"billed_micro_usd" bigint NOT NULL,
	"adjusted_micro_usd" bigint NOT NULL,
	"facts" jsonb NOT NULL,
	"reconciled_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "reconciliation_month_provider_resource_id_pk" PRIMARY KEY("month","provider","resource_id"),
	CONSTRAINT "reconciliation_adjusts_instances" CHECK ("reconciliation"."instance_id" is not null or "reconciliation"."state" in ('billed_unknown', 'matched'))
);
--> statement-breakpoint
CREATE TABLE "job_month" (
	"month_start" timestamp (3) with time zone NOT NULL,
	"job_id" text NOT NULL,
	"team" text NOT NULL,
	"gpu_ms" bigint NOT NULL,
	"list_micro_usd" bigint NOT NULL,
	"contracted_micro_usd" bigint NOT NULL,
	"effective_micro_usd" bigint NOT NULL,
	"billed_micro_usd" bigint NOT NULL,
	"energy_milli_wh" bigint NOT NULL,
	"measured_energy_milli_wh" bigint NOT NULL,
	"hourly_grid_milli_wh" bigint NOT NULL,
	"emissions_milligrams" bigint NOT NULL,
	"market_emissions_milligrams" bigint NOT NULL,
	"embodied_milligrams" bigint NOT NULL,
	"emissions_unknown_gpu_ms" bigint NOT NULL,
	"market_unknown_gpu_ms" bigint NOT NULL,
	"embodied_unknown_gpu_ms" bigint NOT NULL,
	"charges" bigint NOT NULL,
	"several" boolean DEFAULT false NOT NULL,
	CONSTRAINT "job_month_month_start_job_id_pk" PRIMARY KEY("month_start","job_id")
);
--> statement-breakpoint
CREATE TABLE "grid_intensity" (
	"zone" text NOT NULL,
	"hour" timestamp (3) with time zone NOT NULL,
	"milligrams_per_kwh" integer NOT NULL,
	"source" text NOT NULL,
	"observed_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "grid_intensity_zone_hour_pk" PRIMARY KEY("zone","hour")
);
--> statement-breakpoint
CREATE TABLE "proposal" (
	"id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"subject" text NOT NULL,
	"change" jsonb NOT NULL,
	"message" text NOT NULL,
	"proposed_by" text NOT NULL,
	"proposed_at" timestamp (3) with time zone NOT NULL,
	"decision" text,
	"decided_by" text,
	"decided_at" timestamp (3) with time zone,
	CONSTRAINT "proposal_decided_iff" CHECK (num_nonnulls("proposal"."decision", "proposal"."decided_by", "proposal"."decided_at") in (0, 3)),
	CONSTRAINT "proposal_second_person" CHECK ("proposal"."decision" <> 'approved' or "proposal"."decided_by" <> "proposal"."proposed_by")
);
--> statement-breakpoint
CREATE TABLE "rate_card" (
	"id" text PRIMARY KEY NOT NULL,
	"site_id" text NOT NULL,
	"pool_id" text NOT NULL,
	"effective_from" timestamp (3) with time zone NOT NULL,
	"card" jsonb NOT NULL,
	"message" text NOT NULL,
	"author" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "statement" (
	"id" text PRIMARY KEY NOT NULL,
	"month" text NOT NULL,
	"team" text NOT NULL,
	"version" integer NOT NULL,
	"content" jsonb NOT NULL,
	"sha256" text NOT NULL,
	"closed_at" timestamp (3) with time zone NOT NULL,
	"closed_by" text NOT NULL,
	"correction" text
);
--> statement-breakpoint
CREATE TABLE "statement_note" (
	"id" text PRIMARY KEY NOT NULL,
	"month" text NOT NULL,
	"team" text NOT NULL,
	"subject" text NOT NULL,
	"text" text NOT NULL,
	"author" text NOT NULL,
	"written_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "statement_signature" (
	"id" text PRIMARY KEY NOT NULL,
	"statement_id" text NOT NULL,
	"sha256" text NOT NULL,
	"account_id" text NOT NULL,
	"name" text NOT NULL,
	"role" text NOT NULL,
	"signed_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "delivery" ADD CONSTRAINT "delivery_channel_id_channel_id_fk" FOREIGN KEY ("channel_id") REFERENCES "public"."channel"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "bill_line" ADD CONSTRAINT "bill_line_bill_id_bill_id_fk" FOREIGN KEY ("bill_id") REFERENCES "public"."bill"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "statement_signature" ADD CONSTRAINT "statement_signature_statement_id_statement_id_fk" FOREIGN KEY ("statement_id") REFERENCES "public"."statement"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
CREATE UNIQUE INDEX "alert_open" ON "alert" USING btree ("rule","subject") WHERE "alert"."closed_at" is null;
--> statement-breakpoint
CREATE INDEX "alert_opened" ON "alert" USING btree ("opened_at" DESC NULLS FIRST,"id" DESC NULLS FIRST);
--> statement-breakpoint
CREATE UNIQUE INDEX "delivery_once" ON "delivery" USING btree ("channel_id","about");
--> statement-breakpoint
CREATE INDEX "delivery_pending" ON "delivery" USING btree ("next_try_at") WHERE "delivery"."state" = 'pending';
--> statement-breakpoint
CREATE INDEX "delivery_created" ON "delivery" USING btree ("created_at" DESC NULLS FIRST);
--> statement-breakpoint
CREATE UNIQUE INDEX "bill_sha256" ON "bill" USING btree ("sha256");
--> statement-breakpoint
CREATE UNIQUE INDEX "bill_line_content" ON "bill_line" USING btree ("content_hash");
--> statement-breakpoint
CREATE INDEX "bill_line_bill" ON "bill_line" USING btree ("bill_id","row_number");
--> statement-breakpoint
CREATE INDEX "bill_line_resource" ON "bill_line" USING btree ("resource_id");
--> statement-breakpoint
CREATE INDEX "bill_line_month" ON "bill_line" USING btree ("month","provider_name");
--> statement-breakpoint
CREATE INDEX "reconciliation_state" ON "reconciliation" USING btree ("month","state");
--> statement-breakpoint
CREATE INDEX "job_month_dearest" ON "job_month" USING btree ("month_start","effective_micro_usd" DESC NULLS FIRST);
--> statement-breakpoint
CREATE INDEX "job_month_team_dearest" ON "job_month" USING btree ("month_start","team","effective_micro_usd" DESC NULLS FIRST);
--> statement-breakpoint
CREATE INDEX "proposal_open" ON "proposal" USING btree ("proposed_at") WHERE "proposal"."decision" is null;
--> statement-breakpoint
CREATE INDEX "rate_card_pool" ON "rate_card" USING btree ("site_id","pool_id","effective_from");
--> statement-breakpoint
CREATE UNIQUE INDEX "statement_version" ON "statement" USING btree ("month","team","version");
--> statement-breakpoint
CREATE UNIQUE INDEX "statement_signature_once" ON "statement_signature" USING btree ("statement_id","account_id");
--> statement-breakpoint
-- Charges in partitions by UTC month, with what carbon and reconciliation need. What was charged before comes along:
-- nothing of it was measured, every intensity was an average of a year, and contracts and manufacture were not known.
ALTER TABLE "charge" RENAME TO "charge_before";
--> statement-breakpoint
ALTER TABLE "charge_before" RENAME CONSTRAINT "charge_pkey" TO "charge_before_pkey";
--> statement-breakpoint
ALTER INDEX "charge_job" RENAME TO "charge_before_job";
--> statement-breakpoint
ALTER INDEX "charge_period" RENAME TO "charge_before_period";
--> statement-breakpoint
CREATE TABLE "charge" (
	"id" text NOT NULL,
	"period_start" timestamp (3) with time zone NOT NULL,
	"period_end" timestamp (3) with time zone NOT NULL,
	"posted_at" timestamp (3) with time zone NOT NULL,
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
	"bill_line_id" text,
	"correction" text,
	"gpu_ms" bigint NOT NULL,
	"list_micro_usd" bigint NOT NULL,
	"contracted_micro_usd" bigint NOT NULL,
	"effective_micro_usd" bigint NOT NULL,
	"billed_micro_usd" bigint NOT NULL,
	"energy_milli_wh" bigint NOT NULL,
	"measured_energy_milli_wh" bigint NOT NULL,
	"hourly_grid_milli_wh" bigint NOT NULL,
	"emissions_milligrams" bigint,
	"market_emissions_milligrams" bigint,
	"embodied_milligrams" bigint,
	CONSTRAINT "charge_id_period_start_pk" PRIMARY KEY("id","period_start"),
	CONSTRAINT "charge_has_cause" CHECK (num_nonnulls("instance_id", "allocation_id", "pool_id", "bill_line_id") = 1),
	CONSTRAINT "charge_period_order" CHECK ("period_start" < "period_end"),
	CONSTRAINT "charge_within_hour" CHECK (date_trunc('hour', "period_start", 'UTC') = date_trunc('hour', "period_end" - interval '1 millisecond', 'UTC'))
) PARTITION BY RANGE ("period_start");
--> statement-breakpoint
CREATE INDEX "charge_job" ON "charge" USING btree ("job_id");
--> statement-breakpoint
CREATE INDEX "charge_period" ON "charge" USING btree ("period_start","id");
--> statement-breakpoint
CREATE INDEX "charge_instance" ON "charge" USING btree ("instance_id");
--> statement-breakpoint
CREATE TRIGGER charge_insert_only BEFORE UPDATE OR DELETE ON "charge" FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change();
--> statement-breakpoint
-- Makes the partition of the UTC month that holds the instant; nothing when it is there. It is made beside the table and
-- attached then, because that keeps readers and writers of the other months going.
CREATE FUNCTION spillway_charge_month(at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	month timestamp := date_trunc('month', at AT TIME ZONE 'UTC');
	name text := 'charge_' || to_char(month, 'YYYY_MM');
BEGIN
	IF to_regclass(name) IS NOT NULL THEN RETURN; END IF;
	-- The lock that attaching takes anyway; unlike an advisory one it also makes what others just made visible.
	LOCK TABLE charge IN SHARE UPDATE EXCLUSIVE MODE;
	IF to_regclass(name) IS NOT NULL THEN RETURN; END IF;
	EXECUTE format('CREATE TABLE %I (LIKE charge INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', name);
	EXECUTE format('ALTER TABLE charge ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
		name, month AT TIME ZONE 'UTC', (month + interval '1 month') AT TIME ZONE 'UTC');
	EXECUTE format('CREATE TRIGGER charge_insert_only BEFORE UPDATE OR DELETE ON %I FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change()', name);
END $$;
--> statement-breakpoint
SELECT spillway_charge_month(month) FROM (SELECT DISTINCT date_trunc('month', period_start, 'UTC') AS month FROM charge_before) AS months;
--> statement-breakpoint
INSERT INTO "charge" SELECT id, period_start, period_end, period_end, team, project, class, site_id, provider, region, capacity_type, accelerator, kind,
	job_id, attempt_id, instance_id, allocation_id, pool_id, NULL, CASE WHEN kind = 'adjustment' THEN 'end_learnt_late' END,
	gpu_ms, list_micro_usd, contracted_micro_usd, effective_micro_usd, billed_micro_usd, energy_milli_wh, 0, 0, emissions_milligrams, NULL, NULL
FROM "charge_before";
--> statement-breakpoint
DROP TABLE "charge_before";
--> statement-breakpoint
ALTER TABLE "rollup" ADD COLUMN "measured_energy_milli_wh" bigint NOT NULL DEFAULT 0;
--> statement-breakpoint
ALTER TABLE "rollup" ADD COLUMN "hourly_grid_milli_wh" bigint NOT NULL DEFAULT 0;
--> statement-breakpoint
ALTER TABLE "rollup" ADD COLUMN "market_emissions_milligrams" bigint NOT NULL DEFAULT 0;
--> statement-breakpoint
ALTER TABLE "rollup" ADD COLUMN "embodied_milligrams" bigint NOT NULL DEFAULT 0;
--> statement-breakpoint
ALTER TABLE "rollup" ADD COLUMN "emissions_unknown_gpu_ms" bigint NOT NULL DEFAULT 0;
--> statement-breakpoint
ALTER TABLE "rollup" ADD COLUMN "market_unknown_gpu_ms" bigint NOT NULL DEFAULT 0;
--> statement-breakpoint
ALTER TABLE "rollup" ADD COLUMN "embodied_unknown_gpu_ms" bigint NOT NULL DEFAULT 0;
--> statement-breakpoint
ALTER TABLE "rollup" ALTER COLUMN "measured_energy_milli_wh" DROP DEFAULT;
--> statement-breakpoint
ALTER TABLE "rollup" ALTER COLUMN "hourly_grid_milli_wh" DROP DEFAULT;
--> statement-breakpoint
ALTER TABLE "rollup" ALTER COLUMN "market_emissions_milligrams" DROP DEFAULT;
--> statement-breakpoint
ALTER TABLE "rollup" ALTER COLUMN "embodied_milligrams" DROP DEFAULT;
--> statement-breakpoint
ALTER TABLE "rollup" ALTER COLUMN "emissions_unknown_gpu_ms" DROP DEFAULT;
--> statement-breakpoint
ALTER TABLE "rollup" ALTER COLUMN "market_unknown_gpu_ms" DROP DEFAULT;
--> statement-breakpoint
ALTER TABLE "rollup" ALTER COLUMN "embodied_unknown_gpu_ms" DROP DEFAULT;
--> statement-breakpoint
UPDATE "rollup" SET "embodied_unknown_gpu_ms" = "gpu_ms", "market_unknown_gpu_ms" = "gpu_ms", "emissions_unknown_gpu_ms" = coalesce((
	SELECT sum(c.gpu_ms) FROM charge AS c WHERE c.emissions_milligrams IS NULL AND date_trunc(rollup.granularity::text, c.period_start, 'UTC') = rollup.bucket_start
		AND (c.team, c.project, c.class, c.site_id, c.provider, c.region, c.capacity_type, c.accelerator, c.kind)
			= (rollup.team, rollup.project, rollup.class, rollup.site_id, rollup.provider, rollup.region, rollup.capacity_type, rollup.accelerator, rollup.kind)), 0);
--> statement-breakpoint
INSERT INTO "job_month" SELECT date_trunc('month', period_start, 'UTC'), job_id, min(team), sum(gpu_ms), sum(list_micro_usd), sum(contracted_micro_usd),
	sum(effective_micro_usd), sum(billed_micro_usd), sum(energy_milli_wh), 0, 0, coalesce(sum(emissions_milligrams), 0), 0, 0,
	coalesce(sum(gpu_ms) FILTER (WHERE emissions_milligrams IS NULL), 0), sum(gpu_ms), sum(gpu_ms), count(*)
FROM "charge" WHERE job_id IS NOT NULL GROUP BY 1, 2;
--> statement-breakpoint
CREATE TRIGGER rate_card_insert_only BEFORE UPDATE OR DELETE ON "rate_card" FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change();
--> statement-breakpoint
CREATE TRIGGER statement_insert_only BEFORE UPDATE OR DELETE ON "statement" FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change();
--> statement-breakpoint
CREATE TRIGGER statement_signature_insert_only BEFORE UPDATE OR DELETE ON "statement_signature" FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change();
--> statement-breakpoint
CREATE TRIGGER statement_note_insert_only BEFORE UPDATE OR DELETE ON "statement_note" FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change();
--> statement-breakpoint
CREATE TRIGGER bill_line_insert_only BEFORE UPDATE OR DELETE ON "bill_line" FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change();
--> statement-breakpoint
CREATE TABLE "budget_count" (
	"budget_id" text PRIMARY KEY NOT NULL,
	"scope" text NOT NULL,
	"period" text NOT NULL,
	"counted_at" timestamp (3) with time zone NOT NULL,
	"confirmed" boolean NOT NULL
);
--> statement-breakpoint
CREATE TABLE "budget_day" (
	"budget_id" text NOT NULL,
	"day_start" timestamp (3) with time zone NOT NULL,
	"team" text NOT NULL,
	"posted_micro_usd" bigint NOT NULL,
	CONSTRAINT "budget_day_budget_id_day_start_team_pk" PRIMARY KEY("budget_id","day_start","team")
);
--> statement-breakpoint
CREATE TABLE "budget_job" (
	"budget_id" text NOT NULL,
	"period_key" text NOT NULL,
	"job_id" text NOT NULL,
	"posted_micro_usd" bigint NOT NULL,
	CONSTRAINT "budget_job_budget_id_period_key_job_id_pk" PRIMARY KEY("budget_id","period_key","job_id")
);
--> statement-breakpoint
CREATE INDEX "budget_job_dearest" ON "budget_job" USING btree ("budget_id","period_key","posted_micro_usd" DESC NULLS FIRST);
--> statement-breakpoint
CREATE TABLE "rollup_slice" (
	"granularity" "granularity" NOT NULL,
	"dimension" text NOT NULL,
	"bucket_start" timestamp (3) with time zone NOT NULL,
	"key" text NOT NULL,
	"team" text NOT NULL,
	"capacity_type" "capacity_type" NOT NULL,
	"idle" boolean NOT NULL,
	"gpu_ms" bigint NOT NULL,
	"list_micro_usd" bigint NOT NULL,
	"contracted_micro_usd" bigint NOT NULL,
	"effective_micro_usd" bigint NOT NULL,
	"billed_micro_usd" bigint NOT NULL,
	"energy_milli_wh" bigint NOT NULL,
	"measured_energy_milli_wh" bigint NOT NULL,
	"hourly_grid_milli_wh" bigint NOT NULL,
	"emissions_milligrams" bigint NOT NULL,
	"market_emissions_milligrams" bigint NOT NULL,
	"embodied_milligrams" bigint NOT NULL,
	"emissions_unknown_gpu_ms" bigint NOT NULL,
	"market_unknown_gpu_ms" bigint NOT NULL,
	"embodied_unknown_gpu_ms" bigint NOT NULL,
	"charges" bigint NOT NULL,
	CONSTRAINT "rollup_slice_pk" PRIMARY KEY("granularity","dimension","bucket_start","key","team","capacity_type","idle")
);
--> statement-breakpoint
CREATE INDEX "job_month_job" ON "job_month" USING btree ("job_id");
--> statement-breakpoint
CREATE INDEX "job_month_several" ON "job_month" USING btree ("month_start") WHERE "job_month"."several";
--> statement-breakpoint
UPDATE "job_month" SET "several" = true WHERE "job_id" IN (SELECT "job_id" FROM "job_month" GROUP BY "job_id" HAVING count(*) > 1);
--> statement-breakpoint
INSERT INTO "rollup_slice" SELECT granularity, d.dimension, bucket_start, d.key, team, capacity_type, capacity_type = 'owned' AND class = '',
	sum(gpu_ms), sum(list_micro_usd), sum(contracted_micro_usd), sum(effective_micro_usd), sum(billed_micro_usd), sum(energy_milli_wh), sum(measured_energy_milli_wh), sum(hourly_grid_milli_wh), sum(emissions_milligrams), sum(market_emissions_milligrams), sum(embodied_milligrams), sum(emissions_unknown_gpu_ms), sum(market_unknown_gpu_ms), sum(embodied_unknown_gpu_ms), sum(charges)
FROM "rollup", LATERAL (VALUES ('', ''), ('project', project), ('class', class), ('site', site_id), ('provider', provider::text), ('region', region),
	('accelerator', accelerator), ('kind', kind::text)) AS d(dimension, key)
WHERE granularity IN ('day', 'month') GROUP BY 1, 2, 3, 4, 5, 6, 7;
