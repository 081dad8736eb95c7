ALTER TABLE "job_month" ADD COLUMN "cloud_micro_usd" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
-- What budgets count, of what was charged before: months are those of the ledger's calendar.
UPDATE "job_month" SET "cloud_micro_usd" = c.cost FROM (
	SELECT job_id, date_trunc('month', period_start, coalesce((SELECT value #>> '{}' FROM setting WHERE key = 'ledger_zone'), 'UTC')) AS month_start, sum(effective_micro_usd) AS cost
	FROM charge WHERE job_id IS NOT NULL AND instance_id IS NOT NULL AND capacity_type <> 'owned' GROUP BY 1, 2
) AS c WHERE c.job_id = "job_month"."job_id" AND c.month_start = "job_month"."month_start";
