ALTER TABLE "attempt" ADD COLUMN "cost_micro_usd" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "attempt" ADD COLUMN "gpu_ms" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE "attempt" SET "cost_micro_usd" = c.cost, "gpu_ms" = c.gpu FROM (
	SELECT attempt_id, sum(effective_micro_usd) AS cost, sum(gpu_ms) AS gpu FROM charge WHERE attempt_id IS NOT NULL GROUP BY attempt_id
) AS c WHERE c.attempt_id = "attempt"."id";--> statement-breakpoint
CREATE INDEX "attempt_lost" ON "attempt" USING btree ("finished_at","state","capacity_type","cost_micro_usd","gpu_ms","job_id") WHERE "attempt"."state" in ('failed','interrupted','evicted','lost','cancelled');