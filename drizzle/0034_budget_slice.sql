CREATE TABLE "budget_slice" (
	"budget_id" text NOT NULL,
	"period_key" text NOT NULL,
	"day_start" timestamp (3) with time zone NOT NULL,
	"team" text NOT NULL,
	"posted_micro_usd" bigint NOT NULL,
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
	CONSTRAINT "budget_slice_budget_id_period_key_day_start_team_pk" PRIMARY KEY("budget_id","period_key","day_start","team")
);
--> statement-breakpoint
-- What the jobs of each period that was counted were charged until now.
INSERT INTO "budget_slice" ("budget_id", "period_key", "day_start", "team", "posted_micro_usd", "gpu_ms", "list_micro_usd", "contracted_micro_usd", "effective_micro_usd", "billed_micro_usd", "energy_milli_wh", "measured_energy_milli_wh", "hourly_grid_milli_wh", "emissions_milligrams", "market_emissions_milligrams", "embodied_milligrams", "emissions_unknown_gpu_ms", "market_unknown_gpu_ms", "embodied_unknown_gpu_ms", "charges")
SELECT j."budget_id", j."period_key", date_trunc('day', c."period_start", (SELECT spillway_ledger_zone())), c."team",
	sum(CASE WHEN c."capacity_type" = 'reserved' THEN c."billed_micro_usd" ELSE c."effective_micro_usd" END),
	coalesce(sum(c."gpu_ms"), 0), coalesce(sum(c."list_micro_usd"), 0), coalesce(sum(c."contracted_micro_usd"), 0), coalesce(sum(c."effective_micro_usd"), 0), coalesce(sum(c."billed_micro_usd"), 0), coalesce(sum(c."energy_milli_wh"), 0), coalesce(sum(c."measured_energy_milli_wh"), 0), coalesce(sum(c."hourly_grid_milli_wh"), 0), coalesce(sum(c."emissions_milligrams"), 0), coalesce(sum(c."market_emissions_milligrams"), 0), coalesce(sum(c."embodied_milligrams"), 0),
	coalesce(sum(c."gpu_ms") FILTER (WHERE c."emissions_milligrams" IS NULL), 0), coalesce(sum(c."gpu_ms") FILTER (WHERE c."market_emissions_milligrams" IS NULL), 0), coalesce(sum(c."gpu_ms") FILTER (WHERE c."embodied_milligrams" IS NULL), 0),
	count(*)
FROM "budget_count" k JOIN "budget_job" j ON j."budget_id" = k."budget_id" JOIN "charge" c ON c."job_id" = j."job_id"
WHERE c."instance_id" IS NOT NULL AND c."capacity_type" <> 'owned'
	AND to_char(date_trunc(k."period", c."period_start" AT TIME ZONE (SELECT spillway_ledger_zone())), 'YYYY-MM-DD') = j."period_key"
GROUP BY 1, 2, 3, 4;
