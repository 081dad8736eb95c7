-- Sums of attempts by team, without a look at a million jobs and decisions: an attempt says its team and what home was forecast.
DROP INDEX "attempt_lost";--> statement-breakpoint
DROP INDEX "job_month_several";--> statement-breakpoint
ALTER TABLE "attempt" ADD COLUMN "team" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "attempt" ADD COLUMN "home_start_ms" bigint;--> statement-breakpoint
UPDATE "attempt" SET "team" = job.team FROM job WHERE job.id = "attempt"."job_id";--> statement-breakpoint
UPDATE "attempt" SET "home_start_ms" = d.home FROM (
	SELECT DISTINCT ON (job_id, attempt_number) job_id, attempt_number, round((explanation->'homeStart'->>'p50Ms')::numeric) AS home
	FROM decision WHERE attempt_number IS NOT NULL ORDER BY job_id, attempt_number, decided_at DESC
) AS d WHERE d.job_id = "attempt"."job_id" AND d.attempt_number = "attempt"."number";--> statement-breakpoint
CREATE INDEX "attempt_burst" ON "attempt" USING btree ("created_at","team","started_at","home_start_ms") WHERE "attempt"."number" = 1 and "attempt"."capacity_type" <> 'owned' and "attempt"."started_at" is not null;--> statement-breakpoint
CREATE INDEX "instance_taken" ON "instance" USING btree ("accelerator","intended_at","micro_usd_per_hour","gpus","site_id","provider","region","instance_type","capacity_type") WHERE "instance"."launched_at" is not null;--> statement-breakpoint
CREATE INDEX "attempt_lost" ON "attempt" USING btree ("finished_at","state","capacity_type","cost_micro_usd","gpu_ms","team") WHERE "attempt"."state" in ('failed','interrupted','evicted','lost','cancelled');--> statement-breakpoint
CREATE INDEX "job_month_several" ON "job_month" USING btree ("month_start","job_id","team","effective_micro_usd") WHERE "job_month"."several";--> statement-breakpoint
-- A placement writes its attempt and its decision in one transaction, in either order; of several decisions the newest counts.
CREATE FUNCTION spillway_home_start(of_job text, of_number integer) RETURNS bigint LANGUAGE sql STABLE AS $$
	SELECT round((explanation->'homeStart'->>'p50Ms')::numeric)::bigint FROM decision
	WHERE job_id = of_job AND attempt_number = of_number ORDER BY decided_at DESC LIMIT 1
$$;--> statement-breakpoint
CREATE FUNCTION spillway_attempt_facts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW.team := coalesce((SELECT job.team FROM job WHERE job.id = NEW.job_id), '');
	NEW.home_start_ms := spillway_home_start(NEW.job_id, NEW.number);
	RETURN NEW;
END $$;--> statement-breakpoint
CREATE TRIGGER attempt_facts BEFORE INSERT ON "attempt" FOR EACH ROW EXECUTE FUNCTION spillway_attempt_facts();--> statement-breakpoint
CREATE FUNCTION spillway_decision_facts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE attempt SET home_start_ms = spillway_home_start(NEW.job_id, NEW.attempt_number) WHERE job_id = NEW.job_id AND number = NEW.attempt_number;
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER decision_facts AFTER INSERT ON "decision" FOR EACH ROW WHEN (NEW.attempt_number IS NOT NULL) EXECUTE FUNCTION spillway_decision_facts();
