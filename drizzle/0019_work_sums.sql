CREATE TABLE "attempt_sum" (
	"sum_of" text NOT NULL,
	"granularity" "granularity" NOT NULL,
	"bucket_start" timestamp (3) with time zone NOT NULL,
	"dimension" text NOT NULL,
	"team" text NOT NULL,
	"key" text NOT NULL,
	"state" text NOT NULL,
	"capacity_type" "capacity_type" NOT NULL,
	"attempts" bigint NOT NULL,
	"cost_micro_usd" bigint NOT NULL,
	"gpu_ms" bigint NOT NULL,
	"without_home" bigint NOT NULL,
	"saved_ms" bigint NOT NULL,
	CONSTRAINT "attempt_sum_pk" PRIMARY KEY("sum_of","granularity","dimension","team","bucket_start","key","state","capacity_type")
);
--> statement-breakpoint
CREATE TABLE "job_span" (
	"job_id" text PRIMARY KEY NOT NULL,
	"team" text NOT NULL,
	"first_month" timestamp (3) with time zone NOT NULL,
	"last_month" timestamp (3) with time zone NOT NULL,
	"effective_micro_usd" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "taken_price" (
	"month_start" timestamp (3) with time zone NOT NULL,
	"accelerator" text NOT NULL,
	"site_id" text NOT NULL,
	"provider" text NOT NULL,
	"region" text NOT NULL,
	"instance_type" text NOT NULL,
	"capacity_type" "capacity_type" NOT NULL,
	"gpus" integer NOT NULL,
	"micro_usd_per_hour" bigint NOT NULL,
	CONSTRAINT "taken_price_pk" PRIMARY KEY("month_start","accelerator","site_id","provider","region","instance_type","capacity_type","gpus")
);
--> statement-breakpoint
DROP INDEX "attempt_burst";--> statement-breakpoint
DROP INDEX "instance_taken";--> statement-breakpoint
CREATE INDEX "job_span_dearest" ON "job_span" USING btree ("first_month","effective_micro_usd" DESC NULLS FIRST,"job_id","last_month","team");--> statement-breakpoint
CREATE INDEX "job_span_team_dearest" ON "job_span" USING btree ("first_month","team","effective_micro_usd" DESC NULLS FIRST,"job_id","last_month");--> statement-breakpoint
CREATE INDEX "job_span_last" ON "job_span" USING btree ("last_month","first_month","job_id","team");--> statement-breakpoint
CREATE FUNCTION spillway_ledger_zone() RETURNS text LANGUAGE sql STABLE AS $$
	SELECT coalesce((SELECT value #>> '{}' FROM setting WHERE key = 'ledger_zone'), 'UTC')
$$;--> statement-breakpoint
-- What one attempt adds to attempt_sum; no row of a null.
CREATE FUNCTION spillway_attempt_parts(a attempt, zone text) RETURNS TABLE (sum_of text, granularity granularity, dimension text, team text,
	bucket_start timestamptz, key text, state text, capacity_type capacity_type, attempts bigint, cost bigint, gpu bigint, without_home bigint, saved bigint)
LANGUAGE sql STABLE AS $$
	SELECT p.sum_of, g.granularity, d.dimension, t.team, date_trunc(g.granularity::text, p.at, zone), d.key, p.state, a.capacity_type, 1, p.cost, p.gpu, p.without_home, p.saved
	FROM (
		SELECT 'lost' AS sum_of, a.finished_at AS at, a.state::text AS state, a.cost_micro_usd AS cost, a.gpu_ms AS gpu, 0::bigint AS without_home, 0::bigint AS saved
		WHERE a.state IN ('failed', 'interrupted', 'evicted', 'lost', 'cancelled') AND (a.cost_micro_usd <> 0 OR a.gpu_ms <> 0)
		UNION ALL
		SELECT 'burst', a.created_at, '', 0, 0, (a.home_start_ms IS NULL)::int, coalesce(a.home_start_ms - (extract(epoch FROM a.started_at) * 1000)::bigint, 0)
		WHERE a.number = 1 AND a.capacity_type <> 'owned' AND a.started_at IS NOT NULL
	) AS p, (SELECT '' AS team UNION SELECT a.team) AS t, (VALUES ('day'::granularity), ('month')) AS g(granularity), LATERAL (
		SELECT '' AS dimension, '' AS key WHERE p.sum_of = 'lost' OR g.granularity = 'month'
		UNION ALL
		SELECT v.dimension, coalesce(v.key, '') FROM job, LATERAL (VALUES ('project', job.project), ('class', job.class::text), ('site', a.site_id),
			('provider', a.placement->>'provider'), ('region', a.placement->>'region'), ('accelerator', a.placement->>'accelerator')) AS v(dimension, key)
		WHERE job.id = a.job_id AND p.sum_of = 'lost' AND g.granularity = 'month'
	) AS d
$$;--> statement-breakpoint
-- Reckons both tables anew: for what was there before, and where the ledger's calendar is chosen.
CREATE FUNCTION spillway_count_work() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	of_zone text := spillway_ledger_zone();
BEGIN
	LOCK TABLE attempt, instance IN SHARE MODE;
	DELETE FROM attempt_sum;
	INSERT INTO attempt_sum (sum_of, granularity, dimension, team, bucket_start, key, state, capacity_type, attempts, cost_micro_usd, gpu_ms, without_home, saved_ms)
		SELECT p.sum_of, p.granularity, p.dimension, p.team, p.bucket_start, p.key, p.state, p.capacity_type, sum(p.attempts), sum(p.cost), sum(p.gpu), sum(p.without_home), sum(p.saved)
		FROM attempt AS a, LATERAL spillway_attempt_parts(a, of_zone) AS p GROUP BY 1, 2, 3, 4, 5, 6, 7, 8;
	DELETE FROM taken_price;
	INSERT INTO taken_price SELECT date_trunc('month', intended_at, of_zone), accelerator, site_id, provider::text, region, instance_type, capacity_type, gpus, min(micro_usd_per_hour)
		FROM instance WHERE launched_at IS NOT NULL GROUP BY 1, 2, 3, 4, 5, 6, 7, 8;
END $$;--> statement-breakpoint
-- Runs as its transaction ends. Who comes here holds no lock that another one here waits for: rows of sums are met one after the other.
CREATE FUNCTION spillway_keep_attempt_sums() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	of_zone text := spillway_ledger_zone();
BEGIN
	PERFORM pg_advisory_xact_lock(hashtextextended('work_sums', 0));
	INSERT INTO attempt_sum AS s (sum_of, granularity, dimension, team, bucket_start, key, state, capacity_type, attempts, cost_micro_usd, gpu_ms, without_home, saved_ms)
		SELECT p.sum_of, p.granularity, p.dimension, p.team, p.bucket_start, p.key, p.state, p.capacity_type,
			sum(sign * p.attempts), sum(sign * p.cost), sum(sign * p.gpu), sum(sign * p.without_home), sum(sign * p.saved)
		FROM (SELECT 1 AS sign, n.* FROM spillway_attempt_parts(NEW, of_zone) AS n UNION ALL SELECT -1, o.* FROM spillway_attempt_parts(OLD, of_zone) AS o) AS p
		GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
		HAVING sum(sign * p.attempts) <> 0 OR sum(sign * p.cost) <> 0 OR sum(sign * p.gpu) <> 0 OR sum(sign * p.without_home) <> 0 OR sum(sign * p.saved) <> 0
	ON CONFLICT ON CONSTRAINT attempt_sum_pk DO UPDATE SET attempts = s.attempts + excluded.attempts, cost_micro_usd = s.cost_micro_usd + excluded.cost_micro_usd,
		gpu_ms = s.gpu_ms + excluded.gpu_ms, without_home = s.without_home + excluded.without_home, saved_ms = s.saved_ms + excluded.saved_ms;
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE CONSTRAINT TRIGGER attempt_sums_added AFTER INSERT ON "attempt" DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
	WHEN (NEW.started_at IS NOT NULL OR NEW.finished_at IS NOT NULL) EXECUTE FUNCTION spillway_keep_attempt_sums();--> statement-breakpoint
-- Metering changes the sums of every running attempt; only of those that came to nothing is anything kept here.
CREATE CONSTRAINT TRIGGER attempt_sums_changed AFTER UPDATE ON "attempt" DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
	WHEN ((NEW.state IN ('failed', 'interrupted', 'evicted', 'lost', 'cancelled') AND (OLD.state, OLD.finished_at, OLD.cost_micro_usd, OLD.gpu_ms) IS DISTINCT FROM (NEW.state, NEW.finished_at, NEW.cost_micro_usd, NEW.gpu_ms))
		OR (OLD.state IN ('failed', 'interrupted', 'evicted', 'lost', 'cancelled') AND OLD.state <> NEW.state)
		OR (NEW.number = 1 AND NEW.capacity_type <> 'owned' AND (OLD.started_at, OLD.home_start_ms) IS DISTINCT FROM (NEW.started_at, NEW.home_start_ms)))
	EXECUTE FUNCTION spillway_keep_attempt_sums();--> statement-breakpoint
CREATE CONSTRAINT TRIGGER attempt_sums_removed AFTER DELETE ON "attempt" DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
	WHEN (OLD.started_at IS NOT NULL OR OLD.finished_at IS NOT NULL) EXECUTE FUNCTION spillway_keep_attempt_sums();--> statement-breakpoint
CREATE FUNCTION spillway_keep_taken_price() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pg_advisory_xact_lock(hashtextextended('work_sums', 0));
	INSERT INTO taken_price AS t VALUES (date_trunc('month', NEW.intended_at, spillway_ledger_zone()), NEW.accelerator, NEW.site_id, NEW.provider::text, NEW.region,
		NEW.instance_type, NEW.capacity_type, NEW.gpus, NEW.micro_usd_per_hour)
	ON CONFLICT ON CONSTRAINT taken_price_pk DO UPDATE SET micro_usd_per_hour = least(t.micro_usd_per_hour, excluded.micro_usd_per_hour);
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE CONSTRAINT TRIGGER taken_price_added AFTER INSERT ON "instance" DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
	WHEN (NEW.launched_at IS NOT NULL) EXECUTE FUNCTION spillway_keep_taken_price();--> statement-breakpoint
CREATE CONSTRAINT TRIGGER taken_price_launched AFTER UPDATE ON "instance" DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
	WHEN (OLD.launched_at IS NULL AND NEW.launched_at IS NOT NULL) EXECUTE FUNCTION spillway_keep_taken_price();--> statement-breakpoint
SELECT spillway_count_work();--> statement-breakpoint
INSERT INTO "job_span" SELECT job_id, min(team), min(month_start), max(month_start), sum(effective_micro_usd) FROM job_month WHERE several GROUP BY job_id;
