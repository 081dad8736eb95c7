-- The schema of the first release: what the 38 migrations before it resulted in. Migrations only go forward from here.
-- A database that ran all of them is adopted by server/db/adopt-baseline.ts.

-- Functions are created before the tables that they name.
SET LOCAL check_function_bodies = false;
--> statement-breakpoint
CREATE EXTENSION IF NOT EXISTS pg_trgm;
--> statement-breakpoint
CREATE TYPE adoption_state AS ENUM (
	'offered',
	'holding',
	'held',
	'returning',
	'released',
	'finishing',
	'finished',
	'abandoned'
);
--> statement-breakpoint
CREATE TYPE attempt_state AS ENUM (
	'starting',
	'staging',
	'running',
	'stopping',
	'succeeded',
	'failed',
	'interrupted',
	'evicted',
	'cancelled',
	'lost'
);
--> statement-breakpoint
CREATE TYPE capacity_type AS ENUM (
	'owned',
	'reserved',
	'on_demand',
	'spot'
);
--> statement-breakpoint
CREATE TYPE charge_kind AS ENUM (
	'compute',
	'idle',
	'egress',
	'storage',
	'adjustment',
	'boot',
	'staging',
	'commitment',
	'credit',
	'tax'
);
--> statement-breakpoint
CREATE TYPE granularity AS ENUM (
	'hour',
	'day',
	'month'
);
--> statement-breakpoint
CREATE TYPE hold_state AS ENUM (
	'pending',
	'posted',
	'voided'
);
--> statement-breakpoint
CREATE TYPE instance_state AS ENUM (
	'intended',
	'requested',
	'provisioning',
	'ready',
	'draining',
	'terminating',
	'terminated'
);
--> statement-breakpoint
CREATE TYPE job_state AS ENUM (
	'held',
	'queued',
	'admitted',
	'running',
	'succeeded',
	'failed',
	'cancelled'
);
--> statement-breakpoint
CREATE TYPE log_stream AS ENUM (
	'stdout',
	'stderr',
	'spillway'
);
--> statement-breakpoint
CREATE TYPE provider AS ENUM (
	'local',
	'slurm',
	'kubernetes',
	'aws',
	'azure',
	'gcp'
);
--> statement-breakpoint
CREATE TYPE role AS ENUM (
	'platform',
	'data_scientist',
	'finance'
);
--> statement-breakpoint
CREATE TYPE workload_class AS ENUM (
	'baseline',
	'burst',
	'experimental',
	'sensitive',
	'batch_inference'
);
--> statement-breakpoint
CREATE FUNCTION spillway_attempt_facts() RETURNS trigger
	LANGUAGE plpgsql
	AS $$
BEGIN
	NEW.team := coalesce((SELECT job.team FROM job WHERE job.id = NEW.job_id), '');
	NEW.home_start_ms := spillway_home_start(NEW.job_id, NEW.number);
	RETURN NEW;
END $$;
--> statement-breakpoint
CREATE FUNCTION spillway_attempt_needs_hold() RETURNS trigger
	LANGUAGE plpgsql
	AS $$
DECLARE theirs record;
BEGIN
	SELECT id, state INTO theirs FROM adoption WHERE job_id = NEW.job_id FOR UPDATE;
	IF FOUND AND theirs.state <> 'held' THEN
		RAISE EXCEPTION 'attempt % of an adopted job, and % is %', NEW.id, theirs.id, theirs.state
			USING ERRCODE = 'check_violation', CONSTRAINT = 'attempt_needs_hold';
	END IF;
	RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TABLE attempt (
	id text NOT NULL,
	job_id text NOT NULL,
	number integer NOT NULL,
	state attempt_state DEFAULT 'starting'::attempt_state NOT NULL,
	placement jsonb NOT NULL,
	site_id text NOT NULL,
	capacity_type capacity_type NOT NULL,
	gpus integer NOT NULL,
	slots integer[] DEFAULT '{}'::integer[] NOT NULL,
	created_at timestamp(3) with time zone NOT NULL,
	handed_over_at timestamp(3) with time zone,
	staging_at timestamp(3) with time zone,
	started_at timestamp(3) with time zone,
	stop_requested_at timestamp(3) with time zone,
	stop_reason jsonb,
	finished_at timestamp(3) with time zone,
	reason jsonb,
	exit_code integer,
	exit_signal text,
	log_lines integer DEFAULT 0 NOT NULL,
	log_cursor jsonb,
	last_heard_at timestamp(3) with time zone,
	moving_to jsonb,
	move_at timestamp(3) with time zone,
	move_reason jsonb,
	cost_micro_usd bigint DEFAULT 0 NOT NULL,
	gpu_ms bigint DEFAULT 0 NOT NULL,
	team text DEFAULT ''::text NOT NULL,
	home_start_ms bigint,
	cluster_wait jsonb,
	CONSTRAINT attempt_final_has_reason CHECK (((finished_at IS NULL) OR (reason IS NOT NULL))),
	CONSTRAINT attempt_finished_iff_final CHECK (((state = ANY (ARRAY['succeeded'::attempt_state, 'failed'::attempt_state, 'interrupted'::attempt_state, 'evicted'::attempt_state, 'cancelled'::attempt_state, 'lost'::attempt_state])) = (finished_at IS NOT NULL))),
	CONSTRAINT attempt_move_is_whole CHECK ((((move_at IS NULL) = (moving_to IS NULL)) AND ((move_at IS NULL) = (move_reason IS NULL))))
);
--> statement-breakpoint
CREATE FUNCTION spillway_attempt_parts(a attempt, zone text) RETURNS TABLE(sum_of text, granularity granularity, dimension text, team text, bucket_start timestamp with time zone, key text, state text, capacity_type capacity_type, attempts bigint, cost bigint, gpu bigint, without_home bigint, saved bigint)
	LANGUAGE sql STABLE
	AS $$
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
$$;
--> statement-breakpoint
CREATE FUNCTION spillway_audit_token() RETURNS trigger
	LANGUAGE plpgsql
	AS $$
DECLARE
	was jsonb := CASE WHEN TG_OP <> 'INSERT' THEN jsonb_build_object('account', OLD.account_id, 'name', OLD.name, 'revokedAt', OLD.revoked_at) END;
	now_is jsonb := CASE WHEN TG_OP <> 'DELETE' THEN jsonb_build_object('account', NEW.account_id, 'name', NEW.name, 'revokedAt', NEW.revoked_at) END;
	done text := CASE
		WHEN TG_OP = 'INSERT' THEN 'token.issue'
		WHEN TG_OP = 'DELETE' THEN 'token.delete'
		WHEN OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL THEN 'token.revoke'
		ELSE 'token.change' END;
BEGIN
	INSERT INTO audit (at, actor, action, subject, before, after)
	VALUES (date_trunc('milliseconds', clock_timestamp()), 'system:database', done, 'token:' || coalesce(NEW.id, OLD.id), was, now_is);
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION spillway_charge_month(at timestamp with time zone) RETURNS void
	LANGUAGE plpgsql
	AS $$
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
	EXECUTE format('CREATE TRIGGER charge_no_truncate BEFORE TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change()', name);
END $$;
--> statement-breakpoint
CREATE FUNCTION spillway_check_transition() RETURNS trigger
	LANGUAGE plpgsql
	AS $$
BEGIN
	IF NEW.state IS DISTINCT FROM OLD.state AND NOT EXISTS (
		SELECT 1 FROM state_transition
		WHERE machine = TG_ARGV[0] AND from_state = OLD.state::text AND to_state = NEW.state::text
	) THEN
		RAISE EXCEPTION 'illegal % transition of %: % -> %', TG_ARGV[0], OLD.id, OLD.state, NEW.state
			USING ERRCODE = 'check_violation', CONSTRAINT = TG_ARGV[0] || '_transition';
	END IF;
	RETURN NEW;
END $$;
--> statement-breakpoint
CREATE FUNCTION spillway_count_work() RETURNS void
	LANGUAGE plpgsql
	AS $$
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
END $$;
--> statement-breakpoint
CREATE FUNCTION spillway_decision_facts() RETURNS trigger
	LANGUAGE plpgsql
	AS $$
BEGIN
	UPDATE attempt SET home_start_ms = spillway_home_start(NEW.job_id, NEW.attempt_number) WHERE job_id = NEW.job_id AND number = NEW.attempt_number;
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION spillway_home_start(of_job text, of_number integer) RETURNS bigint
	LANGUAGE sql STABLE
	AS $$
	SELECT round((explanation->'homeStart'->>'p50Ms')::numeric)::bigint FROM decision
	WHERE job_id = of_job AND attempt_number = of_number ORDER BY decided_at DESC LIMIT 1
$$;
--> statement-breakpoint
CREATE FUNCTION spillway_keep_attempt_sums() RETURNS trigger
	LANGUAGE plpgsql
	AS $$
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
END $$;
--> statement-breakpoint
CREATE FUNCTION spillway_keep_taken_price() RETURNS trigger
	LANGUAGE plpgsql
	AS $$
BEGIN
	PERFORM pg_advisory_xact_lock(hashtextextended('work_sums', 0));
	INSERT INTO taken_price AS t VALUES (date_trunc('month', NEW.intended_at, spillway_ledger_zone()), NEW.accelerator, NEW.site_id, NEW.provider::text, NEW.region,
		NEW.instance_type, NEW.capacity_type, NEW.gpus, NEW.micro_usd_per_hour)
	ON CONFLICT ON CONSTRAINT taken_price_pk DO UPDATE SET micro_usd_per_hour = least(t.micro_usd_per_hour, excluded.micro_usd_per_hour);
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION spillway_ledger_zone() RETURNS text
	LANGUAGE sql STABLE
	AS $$
	SELECT coalesce((SELECT value #>> '{}' FROM setting WHERE key = 'ledger_zone'), 'UTC')
$$;
--> statement-breakpoint
CREATE FUNCTION spillway_refuse_change() RETURNS trigger
	LANGUAGE plpgsql
	AS $$
BEGIN
	RAISE EXCEPTION '% is insert-only', TG_TABLE_NAME USING ERRCODE = 'check_violation', CONSTRAINT = TG_TABLE_NAME || '_insert_only';
END $$;
--> statement-breakpoint
CREATE FUNCTION spillway_release_needs_end() RETURNS trigger
	LANGUAGE plpgsql
	AS $$
BEGIN
	IF NEW.state = 'released' AND EXISTS (
		SELECT 1 FROM attempt WHERE job_id = NEW.job_id AND state IN ('starting', 'staging', 'running', 'stopping')
	) THEN
		RAISE EXCEPTION '% is released while an attempt lives', NEW.id
			USING ERRCODE = 'check_violation', CONSTRAINT = 'release_needs_end';
	END IF;
	RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TABLE account (
	id text NOT NULL,
	email text NOT NULL,
	name text NOT NULL,
	role role NOT NULL,
	teams text[] DEFAULT '{}'::text[] NOT NULL,
	demo boolean DEFAULT false NOT NULL,
	password_hash text,
	created_at timestamp(3) with time zone NOT NULL,
	disabled_at timestamp(3) with time zone,
	service boolean DEFAULT false NOT NULL,
	session_epoch integer DEFAULT 0 NOT NULL,
	invited_until timestamp(3) with time zone
);
--> statement-breakpoint
CREATE TABLE adoption (
	id text NOT NULL,
	site_id text NOT NULL,
	foreign_id text NOT NULL,
	job_id text NOT NULL,
	state adoption_state DEFAULT 'offered'::adoption_state NOT NULL,
	facts jsonb NOT NULL,
	rule_id text NOT NULL,
	policy_version integer NOT NULL,
	script text NOT NULL,
	why text,
	outcome jsonb,
	output jsonb,
	problem text,
	offered_at timestamp(3) with time zone NOT NULL,
	held_at timestamp(3) with time zone,
	ended_at timestamp(3) with time zone,
	return_at timestamp(3) with time zone,
	CONSTRAINT adoption_ended_iff_final CHECK (((state = ANY (ARRAY['released'::adoption_state, 'finished'::adoption_state, 'abandoned'::adoption_state])) = (ended_at IS NOT NULL))),
	CONSTRAINT adoption_outcome CHECK (((state <> ALL (ARRAY['finishing'::adoption_state, 'finished'::adoption_state])) OR (outcome IS NOT NULL)))
);
--> statement-breakpoint
CREATE TABLE alert (
	id text NOT NULL,
	rule text NOT NULL,
	subject text NOT NULL,
	team text,
	facts jsonb NOT NULL,
	opened_at timestamp(3) with time zone NOT NULL,
	closed_at timestamp(3) with time zone
);
--> statement-breakpoint
CREATE TABLE allocation (
	id text NOT NULL,
	attempt_id text NOT NULL,
	job_id text NOT NULL,
	site_id text NOT NULL,
	pool_id text NOT NULL,
	slots integer[] NOT NULL,
	micro_usd_per_gpu_hour bigint NOT NULL,
	started_at timestamp(3) with time zone NOT NULL,
	ended_at timestamp(3) with time zone,
	metered_until timestamp(3) with time zone
);
--> statement-breakpoint
CREATE TABLE api_token (
	id text NOT NULL,
	account_id text NOT NULL,
	name text NOT NULL,
	hash text NOT NULL,
	created_at timestamp(3) with time zone NOT NULL,
	last_used_at timestamp(3) with time zone,
	revoked_at timestamp(3) with time zone,
	scopes text[],
	expires_at timestamp(3) with time zone
);
--> statement-breakpoint
CREATE TABLE approval (
	id text NOT NULL,
	job_id text NOT NULL,
	rule_id text NOT NULL,
	policy_name text NOT NULL,
	policy_version integer NOT NULL,
	role role NOT NULL,
	quote jsonb NOT NULL,
	requested_at timestamp(3) with time zone NOT NULL,
	expires_at timestamp(3) with time zone NOT NULL,
	state text DEFAULT 'open'::text NOT NULL,
	up_to_micro_usd bigint,
	decided_by text,
	decided_at timestamp(3) with time zone,
	note text,
	CONSTRAINT approval_decided_iff CHECK (((state = 'open'::text) = (decided_at IS NULL))),
	CONSTRAINT approval_granted_amount CHECK (((state = 'granted'::text) = (up_to_micro_usd IS NOT NULL)))
);
--> statement-breakpoint
CREATE TABLE attempt_sum (
	sum_of text NOT NULL,
	granularity granularity NOT NULL,
	bucket_start timestamp(3) with time zone NOT NULL,
	dimension text NOT NULL,
	team text NOT NULL,
	key text NOT NULL,
	state text NOT NULL,
	capacity_type capacity_type NOT NULL,
	attempts bigint NOT NULL,
	cost_micro_usd bigint NOT NULL,
	gpu_ms bigint NOT NULL,
	without_home bigint NOT NULL,
	saved_ms bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE audit (
	id bigint NOT NULL,
	at timestamp(3) with time zone NOT NULL,
	actor text NOT NULL,
	action text NOT NULL,
	subject text NOT NULL,
	before jsonb,
	after jsonb,
	request_id text,
	via text,
	source text
);
--> statement-breakpoint
CREATE SEQUENCE audit_id_seq
	START WITH 1
	INCREMENT BY 1
	NO MINVALUE
	NO MAXVALUE
	CACHE 1;
--> statement-breakpoint
ALTER SEQUENCE audit_id_seq OWNED BY audit.id;
--> statement-breakpoint
CREATE TABLE audit_seal (
	sequence bigint NOT NULL,
	audit_id bigint NOT NULL,
	hash text NOT NULL,
	sealed_at timestamp(3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE backtest (
	id text NOT NULL,
	policy_name text NOT NULL,
	base_version integer NOT NULL,
	source text NOT NULL,
	from_time timestamp(3) with time zone NOT NULL,
	to_time timestamp(3) with time zone NOT NULL,
	state text DEFAULT 'queued'::text NOT NULL,
	progress_permille integer DEFAULT 0 NOT NULL,
	result jsonb,
	error text,
	created_at timestamp(3) with time zone NOT NULL,
	created_by text NOT NULL,
	started_at timestamp(3) with time zone,
	finished_at timestamp(3) with time zone,
	heartbeat_at timestamp(3) with time zone
);
--> statement-breakpoint
CREATE TABLE bill (
	id text NOT NULL,
	file_name text NOT NULL,
	sha256 text NOT NULL,
	focus_version text NOT NULL,
	columns jsonb NOT NULL,
	providers text[] NOT NULL,
	months text[] NOT NULL,
	rows integer NOT NULL,
	repeated_rows integer NOT NULL,
	billed_micro_usd bigint NOT NULL,
	imported_at timestamp(3) with time zone NOT NULL,
	imported_by text NOT NULL,
	reconciled_at timestamp(3) with time zone
);
--> statement-breakpoint
CREATE TABLE bill_line (
	id text NOT NULL,
	bill_id text NOT NULL,
	row_number integer NOT NULL,
	content_hash text NOT NULL,
	provider_name text NOT NULL,
	month text NOT NULL,
	charge_category text NOT NULL,
	charge_class text,
	pricing_category text,
	period_start timestamp(3) with time zone NOT NULL,
	period_end timestamp(3) with time zone NOT NULL,
	resource_id text,
	region_id text,
	tagged_instance_id text,
	invoice_id text,
	list_nano_usd bigint NOT NULL,
	contracted_nano_usd bigint NOT NULL,
	effective_nano_usd bigint NOT NULL,
	billed_nano_usd bigint NOT NULL,
	"values" jsonb NOT NULL,
	about_hash bigint
);
--> statement-breakpoint
CREATE TABLE bill_line_restated (
	line_id text NOT NULL,
	bill_id text NOT NULL
);
--> statement-breakpoint
CREATE TABLE budget_count (
	budget_id text NOT NULL,
	scope text NOT NULL,
	period text NOT NULL,
	counted_at timestamp(3) with time zone NOT NULL,
	confirmed boolean NOT NULL
);
--> statement-breakpoint
CREATE TABLE budget_day (
	budget_id text NOT NULL,
	day_start timestamp(3) with time zone NOT NULL,
	team text NOT NULL,
	posted_micro_usd bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE budget_job (
	budget_id text NOT NULL,
	period_key text NOT NULL,
	job_id text NOT NULL,
	posted_micro_usd bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE budget_period (
	budget_id text NOT NULL,
	period_key text NOT NULL,
	posted_micro_usd bigint DEFAULT 0 NOT NULL,
	held_micro_usd bigint DEFAULT 0 NOT NULL,
	CONSTRAINT budget_period_held_not_negative CHECK ((held_micro_usd >= 0))
);
--> statement-breakpoint
CREATE TABLE budget_slice (
	budget_id text NOT NULL,
	period_key text NOT NULL,
	day_start timestamp(3) with time zone NOT NULL,
	team text NOT NULL,
	posted_micro_usd bigint NOT NULL,
	gpu_ms bigint NOT NULL,
	list_micro_usd bigint NOT NULL,
	contracted_micro_usd bigint NOT NULL,
	effective_micro_usd bigint NOT NULL,
	billed_micro_usd bigint NOT NULL,
	energy_milli_wh bigint NOT NULL,
	measured_energy_milli_wh bigint NOT NULL,
	hourly_grid_milli_wh bigint NOT NULL,
	emissions_milligrams bigint NOT NULL,
	market_emissions_milligrams bigint NOT NULL,
	embodied_milligrams bigint NOT NULL,
	emissions_unknown_gpu_ms bigint NOT NULL,
	market_unknown_gpu_ms bigint NOT NULL,
	embodied_unknown_gpu_ms bigint NOT NULL,
	charges bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE channel (
	id text NOT NULL,
	name text NOT NULL,
	kind text NOT NULL,
	recipients text[],
	secret text,
	topics text[] NOT NULL,
	team text,
	enabled boolean DEFAULT true NOT NULL,
	created_at timestamp(3) with time zone NOT NULL,
	created_by text NOT NULL
);
--> statement-breakpoint
CREATE SEQUENCE charge_number
	START WITH 1
	INCREMENT BY 1
	NO MINVALUE
	NO MAXVALUE
	CACHE 1;
--> statement-breakpoint
CREATE TABLE charge (
	id text NOT NULL,
	period_start timestamp(3) with time zone NOT NULL,
	period_end timestamp(3) with time zone NOT NULL,
	posted_at timestamp(3) with time zone NOT NULL,
	team text NOT NULL,
	project text NOT NULL,
	class text NOT NULL,
	site_id text NOT NULL,
	provider provider NOT NULL,
	region text NOT NULL,
	capacity_type capacity_type NOT NULL,
	accelerator text NOT NULL,
	kind charge_kind NOT NULL,
	job_id text,
	attempt_id text,
	instance_id text,
	allocation_id text,
	pool_id text,
	bill_line_id text,
	correction text,
	gpu_ms bigint NOT NULL,
	list_micro_usd bigint NOT NULL,
	contracted_micro_usd bigint NOT NULL,
	effective_micro_usd bigint NOT NULL,
	billed_micro_usd bigint NOT NULL,
	energy_milli_wh bigint NOT NULL,
	measured_energy_milli_wh bigint NOT NULL,
	hourly_grid_milli_wh bigint NOT NULL,
	emissions_milligrams bigint,
	market_emissions_milligrams bigint,
	embodied_milligrams bigint,
	number bigint DEFAULT nextval('charge_number'::regclass) NOT NULL,
	CONSTRAINT charge_has_cause CHECK ((num_nonnulls(instance_id, allocation_id, pool_id, bill_line_id) = 1)),
	CONSTRAINT charge_period_order CHECK ((period_start < period_end)),
	CONSTRAINT charge_within_hour CHECK ((date_trunc('hour'::text, period_start, 'UTC'::text) = date_trunc('hour'::text, (period_end - '00:00:00.001'::interval), 'UTC'::text)))
)
PARTITION BY RANGE (period_start);
--> statement-breakpoint
CREATE TABLE checkpoint (
	id text NOT NULL,
	job_id text NOT NULL,
	attempt_id text NOT NULL,
	created_at timestamp(3) with time zone NOT NULL,
	files integer NOT NULL,
	bytes bigint NOT NULL,
	completed_ms bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE cluster_node (
	site_id text NOT NULL,
	name text NOT NULL,
	pool_id text,
	state text NOT NULL,
	reason text,
	gpus integer NOT NULL,
	gpus_used integer NOT NULL,
	CONSTRAINT cluster_node_gpus CHECK (((gpus >= 0) AND (gpus_used >= 0))),
	CONSTRAINT cluster_node_state CHECK ((state = ANY (ARRAY['ready'::text, 'closed'::text, 'down'::text])))
);
--> statement-breakpoint
CREATE TABLE data_copy (
	id text NOT NULL,
	uri text NOT NULL,
	place text NOT NULL,
	read_uri text NOT NULL,
	write_uri text NOT NULL,
	wanted_at timestamp(3) with time zone NOT NULL,
	began_at timestamp(3) with time zone,
	as_of_at timestamp(3) with time zone,
	copied_bytes bigint,
	mib_per_s double precision,
	failures integer DEFAULT 0 NOT NULL,
	error text,
	retry_at timestamp(3) with time zone,
	used_at timestamp(3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE decision (
	id text NOT NULL,
	job_id text NOT NULL,
	decided_at timestamp(3) with time zone NOT NULL,
	attempt_number integer,
	policy_name text NOT NULL,
	policy_version integer NOT NULL,
	explanation jsonb NOT NULL,
	input_hash text
);
--> statement-breakpoint
CREATE TABLE decision_part (
	hash text NOT NULL,
	body bytea NOT NULL,
	used_at timestamp(3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE delivery (
	id text NOT NULL,
	channel_id text NOT NULL,
	about text NOT NULL,
	message jsonb NOT NULL,
	state text DEFAULT 'pending'::text NOT NULL,
	tries integer DEFAULT 0 NOT NULL,
	next_try_at timestamp(3) with time zone NOT NULL,
	last_error text,
	created_at timestamp(3) with time zone NOT NULL,
	sent_at timestamp(3) with time zone
);
--> statement-breakpoint
CREATE TABLE electricity_price (
	site_id text NOT NULL,
	hour timestamp(3) with time zone NOT NULL,
	micro_usd_per_kwh bigint NOT NULL,
	source text NOT NULL,
	observed_at timestamp(3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE event (
	id bigint NOT NULL,
	at timestamp(3) with time zone NOT NULL,
	kind text NOT NULL,
	job_id text,
	instance_id text,
	site_id text,
	team text,
	reason jsonb
);
--> statement-breakpoint
CREATE SEQUENCE event_id_seq
	START WITH 1
	INCREMENT BY 1
	NO MINVALUE
	NO MAXVALUE
	CACHE 1;
--> statement-breakpoint
ALTER SEQUENCE event_id_seq OWNED BY event.id;
--> statement-breakpoint
CREATE TABLE foreign_job (
	site_id text NOT NULL,
	id text NOT NULL,
	facts jsonb NOT NULL,
	first_seen_at timestamp(3) with time zone NOT NULL,
	changed_at timestamp(3) with time zone NOT NULL,
	not_adopted jsonb
);
--> statement-breakpoint
CREATE TABLE gpu_minute (
	instance_id text NOT NULL,
	minute timestamp(3) with time zone NOT NULL,
	gpus integer NOT NULL,
	utilisation_permille integer NOT NULL,
	milliwatts integer
);
--> statement-breakpoint
CREATE TABLE grid_intensity (
	zone text NOT NULL,
	hour timestamp(3) with time zone NOT NULL,
	milligrams_per_kwh integer NOT NULL,
	source text NOT NULL,
	observed_at timestamp(3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE hold (
	id text NOT NULL,
	instance_id text NOT NULL,
	amount_micro_usd bigint NOT NULL,
	posted_micro_usd bigint DEFAULT 0 NOT NULL,
	state hold_state DEFAULT 'pending'::hold_state NOT NULL,
	created_at timestamp(3) with time zone NOT NULL,
	closed_at timestamp(3) with time zone,
	CONSTRAINT hold_amount_not_negative CHECK ((amount_micro_usd >= 0))
);
--> statement-breakpoint
CREATE TABLE hold_budget (
	hold_id text NOT NULL,
	budget_id text NOT NULL,
	period_key text NOT NULL
);
--> statement-breakpoint
CREATE TABLE idempotency_key (
	account_id text NOT NULL,
	key text NOT NULL,
	request_hash text NOT NULL,
	status integer NOT NULL,
	response jsonb NOT NULL,
	created_at timestamp(3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE identity (
	issuer text NOT NULL,
	subject text NOT NULL,
	id text NOT NULL,
	account_id text NOT NULL,
	email text NOT NULL,
	created_at timestamp(3) with time zone NOT NULL,
	linked_at timestamp(3) with time zone,
	linked_by text,
	last_sign_in_at timestamp(3) with time zone
);
--> statement-breakpoint
CREATE TABLE instance (
	id text NOT NULL,
	site_id text NOT NULL,
	provider provider NOT NULL,
	provider_instance_id text,
	state instance_state DEFAULT 'intended'::instance_state NOT NULL,
	region text NOT NULL,
	zone text,
	instance_type text NOT NULL,
	capacity_type capacity_type NOT NULL,
	accelerator text NOT NULL,
	gpus integer NOT NULL,
	offer jsonb NOT NULL,
	micro_usd_per_hour bigint NOT NULL,
	job_id text NOT NULL,
	attempt_id text NOT NULL,
	intended_at timestamp(3) with time zone NOT NULL,
	requested_at timestamp(3) with time zone,
	last_call_at timestamp(3) with time zone,
	calls integer DEFAULT 0 NOT NULL,
	last_error text,
	launched_at timestamp(3) with time zone,
	ready_at timestamp(3) with time zone,
	interruption_at timestamp(3) with time zone,
	terminating_at timestamp(3) with time zone,
	terminate_calls integer DEFAULT 0 NOT NULL,
	last_terminate_call_at timestamp(3) with time zone,
	terminated_at timestamp(3) with time zone,
	last_seen_at timestamp(3) with time zone,
	last_heard_at timestamp(3) with time zone,
	reason jsonb,
	expires_at timestamp(3) with time zone NOT NULL,
	bootstrap_hash text,
	agent_token_hash text,
	metered_until timestamp(3) with time zone,
	cost_micro_usd bigint DEFAULT 0 NOT NULL,
	rank integer DEFAULT 0 NOT NULL,
	private_address text,
	staged_at timestamp(3) with time zone,
	exit jsonb,
	log_lines integer DEFAULT 0 NOT NULL,
	billed_from timestamp(3) with time zone,
	billed_from_slack_ms bigint DEFAULT 0 NOT NULL,
	billed_until timestamp(3) with time zone,
	billed_until_slack_ms bigint DEFAULT 0 NOT NULL,
	missing_since timestamp(3) with time zone,
	signed_id text,
	lease_ms integer,
	fenced_at timestamp(3) with time zone,
	CONSTRAINT instance_billed_until_needs_from CHECK (((billed_until IS NULL) OR (billed_from IS NOT NULL))),
	CONSTRAINT instance_known_from_provisioning CHECK (((state <> ALL (ARRAY['provisioning'::instance_state, 'ready'::instance_state])) OR (provider_instance_id IS NOT NULL))),
	CONSTRAINT instance_price_positive CHECK ((micro_usd_per_hour > 0)),
	CONSTRAINT instance_terminated_iff_time CHECK (((state = 'terminated'::instance_state) = (terminated_at IS NOT NULL)))
);
--> statement-breakpoint
CREATE TABLE job (
	id text NOT NULL,
	name text NOT NULL,
	team text NOT NULL,
	project text DEFAULT ''::text NOT NULL,
	class workload_class NOT NULL,
	priority smallint NOT NULL,
	gpus integer NOT NULL,
	spec jsonb NOT NULL,
	state job_state DEFAULT 'queued'::job_state NOT NULL,
	reason jsonb NOT NULL,
	forecast jsonb,
	placement jsonb,
	attempts integer DEFAULT 0 NOT NULL,
	submitted_by text NOT NULL,
	submitted_at timestamp(3) with time zone NOT NULL,
	pending_since timestamp(3) with time zone NOT NULL,
	started_at timestamp(3) with time zone,
	finished_at timestamp(3) with time zone,
	deadline_at timestamp(3) with time zone,
	cancel_requested_at timestamp(3) with time zone,
	cancel_requested_by text,
	completed_ms bigint DEFAULT 0 NOT NULL,
	approved_micro_usd bigint,
	cost_micro_usd bigint DEFAULT 0 NOT NULL,
	emissions_milligrams bigint DEFAULT 0 NOT NULL,
	synthetic boolean DEFAULT false NOT NULL,
	import_id text,
	CONSTRAINT job_finished_iff_final CHECK (((state = ANY (ARRAY['succeeded'::job_state, 'failed'::job_state, 'cancelled'::job_state])) = (finished_at IS NOT NULL))),
	CONSTRAINT job_gpus_positive CHECK ((gpus > 0))
);
--> statement-breakpoint
CREATE TABLE job_import (
	id text NOT NULL,
	kind text NOT NULL,
	findings jsonb NOT NULL,
	left_out integer NOT NULL,
	is_as_read boolean NOT NULL,
	read_at timestamp(3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE job_log (
	attempt_id text NOT NULL,
	number integer NOT NULL,
	at timestamp(3) with time zone NOT NULL,
	stream log_stream NOT NULL,
	text text NOT NULL
);
--> statement-breakpoint
CREATE TABLE job_month (
	month_start timestamp(3) with time zone NOT NULL,
	job_id text NOT NULL,
	team text NOT NULL,
	gpu_ms bigint NOT NULL,
	list_micro_usd bigint NOT NULL,
	contracted_micro_usd bigint NOT NULL,
	effective_micro_usd bigint NOT NULL,
	billed_micro_usd bigint NOT NULL,
	energy_milli_wh bigint NOT NULL,
	measured_energy_milli_wh bigint NOT NULL,
	hourly_grid_milli_wh bigint NOT NULL,
	emissions_milligrams bigint NOT NULL,
	market_emissions_milligrams bigint NOT NULL,
	embodied_milligrams bigint NOT NULL,
	emissions_unknown_gpu_ms bigint NOT NULL,
	market_unknown_gpu_ms bigint NOT NULL,
	embodied_unknown_gpu_ms bigint NOT NULL,
	charges bigint NOT NULL,
	several boolean DEFAULT false NOT NULL,
	cloud_micro_usd bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE job_span (
	job_id text NOT NULL,
	team text NOT NULL,
	first_month timestamp(3) with time zone NOT NULL,
	last_month timestamp(3) with time zone NOT NULL,
	effective_micro_usd bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE offer (
	id text NOT NULL,
	site_id text NOT NULL,
	provider provider NOT NULL,
	region text NOT NULL,
	zone text,
	instance_type text NOT NULL,
	accelerator text NOT NULL,
	gpus integer NOT NULL,
	vcpus integer NOT NULL,
	memory_gi_b real NOT NULL,
	capacity_type capacity_type NOT NULL,
	micro_usd_per_hour bigint,
	on_demand_micro_usd_per_hour bigint,
	price_observed_at timestamp(3) with time zone NOT NULL,
	price_source text NOT NULL,
	seen_at timestamp(3) with time zone NOT NULL,
	backoff_until timestamp(3) with time zone,
	backoff_reason text,
	refusals integer DEFAULT 0 NOT NULL,
	disk jsonb,
	quota jsonb
);
--> statement-breakpoint
CREATE TABLE offer_price (
	offer_id text NOT NULL,
	observed_at timestamp(3) with time zone NOT NULL,
	micro_usd_per_hour bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE policy (
	name text NOT NULL,
	active_version integer NOT NULL,
	managed_by jsonb
);
--> statement-breakpoint
CREATE TABLE policy_draft (
	name text NOT NULL,
	account_id text NOT NULL,
	base_version integer NOT NULL,
	source text NOT NULL,
	updated_at timestamp(3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE policy_publication (
	id text NOT NULL,
	name text NOT NULL,
	version integer NOT NULL,
	kind text NOT NULL,
	published_at timestamp(3) with time zone NOT NULL,
	published_by text NOT NULL,
	approved_by text,
	backtest_id text
);
--> statement-breakpoint
CREATE TABLE policy_version (
	name text NOT NULL,
	version integer NOT NULL,
	source text NOT NULL,
	author text NOT NULL,
	message text NOT NULL,
	created_at timestamp(3) with time zone NOT NULL,
	base_version integer,
	origin jsonb
);
--> statement-breakpoint
CREATE TABLE pool (
	id text NOT NULL,
	site_id text NOT NULL,
	accelerator text NOT NULL,
	nodes integer NOT NULL,
	gpus_per_node integer NOT NULL,
	unavailable_slots integer[] NOT NULL,
	micro_usd_per_gpu_hour bigint NOT NULL,
	watts_per_gpu integer NOT NULL,
	idle_metered_until timestamp(3) with time zone,
	owned_since timestamp(3) with time zone NOT NULL,
	nodes_to_come integer DEFAULT 0 NOT NULL,
	none_comes boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE proposal (
	id text NOT NULL,
	kind text NOT NULL,
	subject text NOT NULL,
	change jsonb NOT NULL,
	message text NOT NULL,
	proposed_by text NOT NULL,
	proposed_at timestamp(3) with time zone NOT NULL,
	decision text,
	decided_by text,
	decided_at timestamp(3) with time zone,
	CONSTRAINT proposal_decided_iff CHECK ((num_nonnulls(decision, decided_by, decided_at) = ANY (ARRAY[0, 3]))),
	CONSTRAINT proposal_second_person CHECK (((decision <> 'approved'::text) OR (decided_by <> proposed_by)))
);
--> statement-breakpoint
CREATE TABLE rate_card (
	id text NOT NULL,
	site_id text NOT NULL,
	pool_id text NOT NULL,
	effective_from timestamp(3) with time zone NOT NULL,
	card jsonb NOT NULL,
	message text NOT NULL,
	author text NOT NULL,
	created_at timestamp(3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE rate_window (
	key text NOT NULL,
	count integer NOT NULL,
	starts_at timestamp(3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE reconciliation (
	month text NOT NULL,
	provider text NOT NULL,
	resource_id text NOT NULL,
	instance_id text,
	bill_id text,
	state text NOT NULL,
	estimated_micro_usd bigint NOT NULL,
	billed_micro_usd bigint NOT NULL,
	adjusted_micro_usd bigint NOT NULL,
	facts jsonb NOT NULL,
	reconciled_at timestamp(3) with time zone NOT NULL,
	CONSTRAINT reconciliation_adjusts_instances CHECK (((instance_id IS NOT NULL) OR (state = ANY (ARRAY['billed_unknown'::text, 'matched'::text]))))
);
--> statement-breakpoint
CREATE TABLE rollup (
	granularity granularity NOT NULL,
	bucket_start timestamp(3) with time zone NOT NULL,
	team text NOT NULL,
	project text NOT NULL,
	class text NOT NULL,
	site_id text NOT NULL,
	provider provider NOT NULL,
	region text NOT NULL,
	capacity_type capacity_type NOT NULL,
	accelerator text NOT NULL,
	kind charge_kind NOT NULL,
	gpu_ms bigint NOT NULL,
	list_micro_usd bigint NOT NULL,
	contracted_micro_usd bigint NOT NULL,
	effective_micro_usd bigint NOT NULL,
	billed_micro_usd bigint NOT NULL,
	energy_milli_wh bigint NOT NULL,
	emissions_milligrams bigint NOT NULL,
	charges bigint NOT NULL,
	measured_energy_milli_wh bigint NOT NULL,
	hourly_grid_milli_wh bigint NOT NULL,
	market_emissions_milligrams bigint NOT NULL,
	embodied_milligrams bigint NOT NULL,
	emissions_unknown_gpu_ms bigint NOT NULL,
	market_unknown_gpu_ms bigint NOT NULL,
	embodied_unknown_gpu_ms bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE rollup_slice (
	granularity granularity NOT NULL,
	dimension text NOT NULL,
	bucket_start timestamp(3) with time zone NOT NULL,
	key text NOT NULL,
	team text NOT NULL,
	capacity_type capacity_type NOT NULL,
	idle boolean NOT NULL,
	gpu_ms bigint NOT NULL,
	list_micro_usd bigint NOT NULL,
	contracted_micro_usd bigint NOT NULL,
	effective_micro_usd bigint NOT NULL,
	billed_micro_usd bigint NOT NULL,
	energy_milli_wh bigint NOT NULL,
	measured_energy_milli_wh bigint NOT NULL,
	hourly_grid_milli_wh bigint NOT NULL,
	emissions_milligrams bigint NOT NULL,
	market_emissions_milligrams bigint NOT NULL,
	embodied_milligrams bigint NOT NULL,
	emissions_unknown_gpu_ms bigint NOT NULL,
	market_unknown_gpu_ms bigint NOT NULL,
	embodied_unknown_gpu_ms bigint NOT NULL,
	charges bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE setting (
	key text NOT NULL,
	value jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE shadow (
	id text NOT NULL,
	policy_name text NOT NULL,
	base_version integer NOT NULL,
	source text NOT NULL,
	started_at timestamp(3) with time zone NOT NULL,
	started_by text NOT NULL,
	stopped_at timestamp(3) with time zone
);
--> statement-breakpoint
CREATE TABLE shadow_decision (
	shadow_id text NOT NULL,
	job_id text NOT NULL,
	decided_at timestamp(3) with time zone NOT NULL,
	agrees boolean NOT NULL,
	published jsonb NOT NULL,
	draft jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE site (
	id text NOT NULL,
	name text NOT NULL,
	provider provider NOT NULL,
	enabled boolean DEFAULT true NOT NULL,
	settings jsonb NOT NULL,
	healthy boolean DEFAULT false NOT NULL,
	health_message text,
	last_seen_at timestamp(3) with time zone,
	last_sweep jsonb,
	last_orphan_at timestamp(3) with time zone,
	removed_at timestamp(3) with time zone,
	credential_source jsonb,
	sealed_credentials text,
	credentials_changed_at timestamp(3) with time zone,
	unpriced_pools jsonb,
	queue_read_at timestamp(3) with time zone,
	unhealthy_since timestamp(3) with time zone
);
--> statement-breakpoint
CREATE TABLE state_transition (
	machine text NOT NULL,
	from_state text NOT NULL,
	to_state text NOT NULL
);
--> statement-breakpoint
CREATE TABLE statement (
	id text NOT NULL,
	month text NOT NULL,
	team text NOT NULL,
	version integer NOT NULL,
	content jsonb NOT NULL,
	sha256 text NOT NULL,
	closed_at timestamp(3) with time zone NOT NULL,
	closed_by text NOT NULL,
	correction text
);
--> statement-breakpoint
CREATE TABLE statement_note (
	id text NOT NULL,
	month text NOT NULL,
	team text NOT NULL,
	subject text NOT NULL,
	text text NOT NULL,
	author text NOT NULL,
	written_at timestamp(3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE statement_signature (
	id text NOT NULL,
	statement_id text NOT NULL,
	sha256 text NOT NULL,
	account_id text NOT NULL,
	name text NOT NULL,
	role text NOT NULL,
	signed_at timestamp(3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE taken_price (
	month_start timestamp(3) with time zone NOT NULL,
	accelerator text NOT NULL,
	site_id text NOT NULL,
	provider text NOT NULL,
	region text NOT NULL,
	instance_type text NOT NULL,
	capacity_type capacity_type NOT NULL,
	gpus integer NOT NULL,
	micro_usd_per_hour bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE team (
	name text NOT NULL
);
--> statement-breakpoint
CREATE TABLE wait_forecast (
	id bigint NOT NULL,
	job_id text NOT NULL,
	attempt_no integer NOT NULL,
	horizon smallint NOT NULL,
	first boolean NOT NULL,
	at timestamp(3) with time zone NOT NULL,
	replay_p50_ms bigint NOT NULL,
	replay_p90_ms bigint NOT NULL,
	told_p50_ms bigint NOT NULL,
	told_p90_ms bigint NOT NULL,
	ended_at timestamp(3) with time zone,
	outcome text,
	CONSTRAINT wait_forecast_order CHECK (((replay_p50_ms <= replay_p90_ms) AND (told_p50_ms <= told_p90_ms))),
	CONSTRAINT wait_forecast_outcome CHECK (((ended_at IS NULL) = (outcome IS NULL)))
);
--> statement-breakpoint
CREATE SEQUENCE wait_forecast_id_seq
	START WITH 1
	INCREMENT BY 1
	NO MINVALUE
	NO MAXVALUE
	CACHE 1;
--> statement-breakpoint
ALTER SEQUENCE wait_forecast_id_seq OWNED BY wait_forecast.id;
--> statement-breakpoint
ALTER TABLE ONLY audit ALTER COLUMN id SET DEFAULT nextval('audit_id_seq'::regclass);
--> statement-breakpoint
ALTER TABLE ONLY event ALTER COLUMN id SET DEFAULT nextval('event_id_seq'::regclass);
--> statement-breakpoint
ALTER TABLE ONLY wait_forecast ALTER COLUMN id SET DEFAULT nextval('wait_forecast_id_seq'::regclass);
--> statement-breakpoint
ALTER TABLE ONLY account
	ADD CONSTRAINT account_pkey PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE ONLY adoption
	ADD CONSTRAINT adoption_pkey PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE ONLY alert
	ADD CONSTRAINT alert_pkey PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE ONLY allocation
	ADD CONSTRAINT allocation_pkey PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE ONLY api_token
	ADD CONSTRAINT api_token_pkey PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE ONLY approval
	ADD CONSTRAINT approval_pkey PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE ONLY attempt
	ADD CONSTRAINT attempt_pkey PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE ONLY attempt_sum
	ADD CONSTRAINT attempt_sum_pk PRIMARY KEY (sum_of, granularity, dimension, team, bucket_start, key, state, capacity_type);
--> statement-breakpoint
ALTER TABLE ONLY audit
	ADD CONSTRAINT audit_pkey PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE ONLY audit_seal
	ADD CONSTRAINT audit_seal_pkey PRIMARY KEY (sequence);
--> statement-breakpoint
ALTER TABLE ONLY backtest
	ADD CONSTRAINT backtest_pkey PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE ONLY bill_line
	ADD CONSTRAINT bill_line_pkey PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE ONLY bill_line_restated
	ADD CONSTRAINT bill_line_restated_pkey PRIMARY KEY (line_id);
--> statement-breakpoint
ALTER TABLE ONLY bill
	ADD CONSTRAINT bill_pkey PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE ONLY budget_count
	ADD CONSTRAINT budget_count_pkey PRIMARY KEY (budget_id);
--> statement-breakpoint
ALTER TABLE ONLY budget_day
	ADD CONSTRAINT budget_day_budget_id_day_start_team_pk PRIMARY KEY (budget_id, day_start, team);
--> statement-breakpoint
ALTER TABLE ONLY budget_job
	ADD CONSTRAINT budget_job_budget_id_period_key_job_id_pk PRIMARY KEY (budget_id, period_key, job_id);
--> statement-breakpoint
ALTER TABLE ONLY budget_period
	ADD CONSTRAINT budget_period_budget_id_period_key_pk PRIMARY KEY (budget_id, period_key);
--> statement-breakpoint
ALTER TABLE ONLY budget_slice
	ADD CONSTRAINT budget_slice_budget_id_period_key_day_start_team_pk PRIMARY KEY (budget_id, period_key, day_start, team);
--> statement-breakpoint
ALTER TABLE ONLY channel
	ADD CONSTRAINT channel_pkey PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE ONLY charge
	ADD CONSTRAINT charge_id_period_start_pk PRIMARY KEY (id, period_start);
--> statement-breakpoint
ALTER TABLE ONLY checkpoint
	ADD CONSTRAINT checkpoint_pkey PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE ONLY cluster_node
	ADD CONSTRAINT cluster_node_site_id_name_pk PRIMARY KEY (site_id, name);
--> statement-breakpoint
ALTER TABLE ONLY data_copy
	ADD CONSTRAINT data_copy_pkey PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE ONLY data_copy
	ADD CONSTRAINT data_copy_place UNIQUE (uri, place);
--> statement-breakpoint
ALTER TABLE ONLY decision_part
	ADD CONSTRAINT decision_part_pkey PRIMARY KEY (hash);
--> statement-breakpoint
ALTER TABLE ONLY decision
	ADD CONSTRAINT decision_pkey PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE ONLY delivery
	ADD CONSTRAINT delivery_pkey PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE ONLY electricity_price
	ADD CONSTRAINT electricity_price_site_id_hour_pk PRIMARY KEY (site_id, hour);
--> statement-breakpoint
ALTER TABLE ONLY event
	ADD CONSTRAINT event_pkey PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE ONLY foreign_job
	ADD CONSTRAINT foreign_job_site_id_id_pk PRIMARY KEY (site_id, id);
--> statement-breakpoint
ALTER TABLE ONLY gpu_minute
	ADD CONSTRAINT gpu_minute_instance_id_minute_pk PRIMARY KEY (instance_id, minute);
--> statement-breakpoint
ALTER TABLE ONLY grid_intensity
	ADD CONSTRAINT grid_intensity_zone_hour_pk PRIMARY KEY (zone, hour);
--> statement-breakpoint
ALTER TABLE ONLY hold_budget
	ADD CONSTRAINT hold_budget_hold_id_budget_id_pk PRIMARY KEY (hold_id, budget_id);
--> statement-breakpoint
ALTER TABLE ONLY hold
	ADD CONSTRAINT "hold_instanceId_unique" UNIQUE (instance_id);
--> statement-breakpoint
ALTER TABLE ONLY hold
	ADD CONSTRAINT hold_pkey PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE ONLY idempotency_key
	ADD CONSTRAINT idempotency_key_account_id_key_pk PRIMARY KEY (account_id, key);
--> statement-breakpoint
ALTER TABLE ONLY identity
	ADD CONSTRAINT identity_issuer_subject_pk PRIMARY KEY (issuer, subject);
--> statement-breakpoint
ALTER TABLE ONLY instance
	ADD CONSTRAINT instance_pkey PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE ONLY job_import
	ADD CONSTRAINT job_import_pkey PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE ONLY job_log
	ADD CONSTRAINT job_log_attempt_id_number_pk PRIMARY KEY (attempt_id, number);
--> statement-breakpoint
ALTER TABLE ONLY job_month
	ADD CONSTRAINT job_month_month_start_job_id_pk PRIMARY KEY (month_start, job_id);
--> statement-breakpoint
ALTER TABLE ONLY job
	ADD CONSTRAINT job_pkey PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE ONLY job_span
	ADD CONSTRAINT job_span_pkey PRIMARY KEY (job_id);
--> statement-breakpoint
ALTER TABLE ONLY offer
	ADD CONSTRAINT offer_pkey PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE ONLY policy_draft
	ADD CONSTRAINT policy_draft_name_account_id_pk PRIMARY KEY (name, account_id);
--> statement-breakpoint
ALTER TABLE ONLY policy
	ADD CONSTRAINT policy_pkey PRIMARY KEY (name);
--> statement-breakpoint
ALTER TABLE ONLY policy_publication
	ADD CONSTRAINT policy_publication_pkey PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE ONLY policy_version
	ADD CONSTRAINT policy_version_name_version_pk PRIMARY KEY (name, version);
--> statement-breakpoint
ALTER TABLE ONLY pool
	ADD CONSTRAINT pool_site_id_id_pk PRIMARY KEY (site_id, id);
--> statement-breakpoint
ALTER TABLE ONLY proposal
	ADD CONSTRAINT proposal_pkey PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE ONLY rate_card
	ADD CONSTRAINT rate_card_pkey PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE ONLY rate_window
	ADD CONSTRAINT rate_window_pkey PRIMARY KEY (key);
--> statement-breakpoint
ALTER TABLE ONLY reconciliation
	ADD CONSTRAINT reconciliation_month_provider_resource_id_pk PRIMARY KEY (month, provider, resource_id);
--> statement-breakpoint
ALTER TABLE ONLY rollup
	ADD CONSTRAINT rollup_granularity_bucket_start_team_project_class_site_id_prov PRIMARY KEY (granularity, bucket_start, team, project, class, site_id, provider, region, capacity_type, accelerator, kind);
--> statement-breakpoint
ALTER TABLE ONLY rollup_slice
	ADD CONSTRAINT rollup_slice_pk PRIMARY KEY (granularity, dimension, bucket_start, key, team, capacity_type, idle);
--> statement-breakpoint
ALTER TABLE ONLY setting
	ADD CONSTRAINT setting_pkey PRIMARY KEY (key);
--> statement-breakpoint
ALTER TABLE ONLY shadow_decision
	ADD CONSTRAINT shadow_decision_shadow_id_job_id_pk PRIMARY KEY (shadow_id, job_id);
--> statement-breakpoint
ALTER TABLE ONLY shadow
	ADD CONSTRAINT shadow_pkey PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE ONLY site
	ADD CONSTRAINT site_pkey PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE ONLY state_transition
	ADD CONSTRAINT state_transition_pkey PRIMARY KEY (machine, from_state, to_state);
--> statement-breakpoint
ALTER TABLE ONLY statement_note
	ADD CONSTRAINT statement_note_pkey PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE ONLY statement
	ADD CONSTRAINT statement_pkey PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE ONLY statement_signature
	ADD CONSTRAINT statement_signature_pkey PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE ONLY taken_price
	ADD CONSTRAINT taken_price_pk PRIMARY KEY (month_start, accelerator, site_id, provider, region, instance_type, capacity_type, gpus);
--> statement-breakpoint
ALTER TABLE ONLY team
	ADD CONSTRAINT team_pkey PRIMARY KEY (name);
--> statement-breakpoint
ALTER TABLE ONLY wait_forecast
	ADD CONSTRAINT wait_forecast_pkey PRIMARY KEY (id);
--> statement-breakpoint
CREATE UNIQUE INDEX account_email ON account USING btree (lower(email));
--> statement-breakpoint
CREATE INDEX adoption_foreign ON adoption USING btree (site_id, foreign_id);
--> statement-breakpoint
CREATE UNIQUE INDEX adoption_job ON adoption USING btree (job_id);
--> statement-breakpoint
CREATE UNIQUE INDEX adoption_live ON adoption USING btree (site_id, foreign_id) WHERE (ended_at IS NULL);
--> statement-breakpoint
CREATE UNIQUE INDEX alert_open ON alert USING btree (rule, subject) WHERE (closed_at IS NULL);
--> statement-breakpoint
CREATE INDEX alert_opened ON alert USING btree (opened_at DESC, id DESC);
--> statement-breakpoint
CREATE UNIQUE INDEX allocation_attempt ON allocation USING btree (attempt_id);
--> statement-breakpoint
CREATE INDEX allocation_ended ON allocation USING btree (ended_at);
--> statement-breakpoint
CREATE INDEX allocation_open ON allocation USING btree (pool_id) WHERE (ended_at IS NULL);
--> statement-breakpoint
CREATE INDEX allocation_times ON allocation USING btree (pool_id, started_at);
--> statement-breakpoint
CREATE INDEX allocation_unmetered ON allocation USING btree (id) WHERE ((ended_at IS NULL) OR (metered_until IS NULL) OR (metered_until <> ended_at));
--> statement-breakpoint
CREATE INDEX api_token_account ON api_token USING btree (account_id);
--> statement-breakpoint
CREATE UNIQUE INDEX api_token_hash ON api_token USING btree (hash);
--> statement-breakpoint
CREATE INDEX approval_job ON approval USING btree (job_id);
--> statement-breakpoint
CREATE UNIQUE INDEX approval_open_job ON approval USING btree (job_id) WHERE (state = 'open'::text);
--> statement-breakpoint
CREATE INDEX approval_requested ON approval USING btree (requested_at DESC);
--> statement-breakpoint
CREATE UNIQUE INDEX attempt_job_number ON attempt USING btree (job_id, number);
--> statement-breakpoint
CREATE INDEX attempt_live ON attempt USING btree (site_id) WHERE (state = ANY (ARRAY['starting'::attempt_state, 'staging'::attempt_state, 'running'::attempt_state, 'stopping'::attempt_state]));
--> statement-breakpoint
CREATE INDEX attempt_lost ON attempt USING btree (finished_at, state, capacity_type, cost_micro_usd, gpu_ms, team) WHERE (state = ANY (ARRAY['failed'::attempt_state, 'interrupted'::attempt_state, 'evicted'::attempt_state, 'lost'::attempt_state, 'cancelled'::attempt_state]));
--> statement-breakpoint
CREATE INDEX attempt_move_due ON attempt USING btree (move_at) WHERE ((move_at IS NOT NULL) AND (stop_requested_at IS NULL) AND (finished_at IS NULL));
--> statement-breakpoint
CREATE UNIQUE INDEX attempt_one_live ON attempt USING btree (job_id) WHERE (state = ANY (ARRAY['starting'::attempt_state, 'staging'::attempt_state, 'running'::attempt_state, 'stopping'::attempt_state]));
--> statement-breakpoint
CREATE INDEX attempt_times ON attempt USING btree (created_at, finished_at);
--> statement-breakpoint
CREATE INDEX audit_at ON audit USING btree (at);
--> statement-breakpoint
CREATE UNIQUE INDEX audit_seal_line ON audit_seal USING btree (audit_id);
--> statement-breakpoint
CREATE INDEX audit_subject ON audit USING btree (subject, at DESC);
--> statement-breakpoint
CREATE INDEX backtest_created ON backtest USING btree (policy_name, created_at DESC);
--> statement-breakpoint
CREATE INDEX backtest_pending ON backtest USING btree (created_at) WHERE (state = ANY (ARRAY['queued'::text, 'running'::text]));
--> statement-breakpoint
CREATE INDEX bill_line_about ON bill_line USING btree (about_hash);
--> statement-breakpoint
CREATE INDEX bill_line_bill ON bill_line USING btree (bill_id, row_number);
--> statement-breakpoint
CREATE UNIQUE INDEX bill_line_content ON bill_line USING btree (content_hash);
--> statement-breakpoint
CREATE INDEX bill_line_month ON bill_line USING btree (month, provider_name);
--> statement-breakpoint
CREATE INDEX bill_line_resource ON bill_line USING btree (resource_id);
--> statement-breakpoint
CREATE INDEX bill_sha256 ON bill USING btree (sha256);
--> statement-breakpoint
CREATE INDEX budget_job_dearest ON budget_job USING btree (budget_id, period_key, posted_micro_usd DESC);
--> statement-breakpoint
CREATE INDEX charge_instance ON ONLY charge USING btree (instance_id);
--> statement-breakpoint
CREATE INDEX charge_job ON ONLY charge USING btree (job_id);
--> statement-breakpoint
CREATE INDEX charge_of_bills ON ONLY charge USING btree (period_start) WHERE ((bill_line_id IS NOT NULL) OR (correction = ANY (ARRAY['bill_price'::text, 'bill_time'::text])));
--> statement-breakpoint
CREATE INDEX charge_period ON ONLY charge USING btree (period_start, id);
--> statement-breakpoint
CREATE INDEX charge_posted ON ONLY charge USING brin (number, posted_at) WITH (autosummarize='true');
--> statement-breakpoint
CREATE INDEX checkpoint_job ON checkpoint USING btree (job_id, created_at DESC);
--> statement-breakpoint
CREATE INDEX decision_job ON decision USING btree (job_id, decided_at DESC);
--> statement-breakpoint
CREATE INDEX decision_part_used ON decision_part USING btree (used_at);
--> statement-breakpoint
CREATE INDEX delivery_created ON delivery USING btree (created_at DESC);
--> statement-breakpoint
CREATE UNIQUE INDEX delivery_once ON delivery USING btree (channel_id, about);
--> statement-breakpoint
CREATE INDEX delivery_pending ON delivery USING btree (next_try_at) WHERE (state = 'pending'::text);
--> statement-breakpoint
CREATE INDEX event_at ON event USING btree (at DESC);
--> statement-breakpoint
CREATE INDEX event_job ON event USING btree (job_id);
--> statement-breakpoint
CREATE INDEX hold_pending ON hold USING btree (state) WHERE (state = 'pending'::hold_state);
--> statement-breakpoint
CREATE INDEX identity_account ON identity USING btree (account_id);
--> statement-breakpoint
CREATE UNIQUE INDEX identity_id ON identity USING btree (id);
--> statement-breakpoint
CREATE UNIQUE INDEX instance_agent_token ON instance USING btree (agent_token_hash) WHERE (agent_token_hash IS NOT NULL);
--> statement-breakpoint
CREATE UNIQUE INDEX instance_attempt_rank ON instance USING btree (attempt_id, rank);
--> statement-breakpoint
CREATE INDEX instance_intended ON instance USING btree (intended_at DESC, id DESC);
--> statement-breakpoint
CREATE INDEX instance_job ON instance USING btree (job_id);
--> statement-breakpoint
CREATE INDEX instance_live ON instance USING btree (state) WHERE (state <> 'terminated'::instance_state);
--> statement-breakpoint
CREATE UNIQUE INDEX instance_provider_id ON instance USING btree (site_id, provider_instance_id) WHERE (provider_instance_id IS NOT NULL);
--> statement-breakpoint
CREATE INDEX instance_region ON instance USING btree (site_id, region, intended_at DESC);
--> statement-breakpoint
CREATE INDEX instance_unmetered ON instance USING btree (id) WHERE ((billed_from IS NOT NULL) AND ((metered_until IS NULL) OR (billed_until IS NULL) OR (metered_until <> billed_until)));
--> statement-breakpoint
CREATE INDEX job_class_submitted ON job USING btree (class, submitted_at DESC, id DESC);
--> statement-breakpoint
CREATE INDEX job_cloud_submitted ON job USING btree (submitted_at DESC, id DESC) WHERE ((placement ->> 'capacityType'::text) <> 'owned'::text);
--> statement-breakpoint
CREATE INDEX job_finished ON job USING btree (finished_at) WHERE (finished_at IS NOT NULL);
--> statement-breakpoint
CREATE UNIQUE INDEX job_id_state ON job USING btree (id, state);
--> statement-breakpoint
CREATE INDEX job_live ON job USING btree (state, pending_since) WHERE (state = ANY (ARRAY['held'::job_state, 'queued'::job_state, 'admitted'::job_state, 'running'::job_state]));
--> statement-breakpoint
CREATE INDEX job_month_dearest ON job_month USING btree (month_start, effective_micro_usd DESC);
--> statement-breakpoint
CREATE INDEX job_month_job ON job_month USING btree (job_id);
--> statement-breakpoint
CREATE INDEX job_month_several ON job_month USING btree (month_start, job_id, team, effective_micro_usd) WHERE several;
--> statement-breakpoint
CREATE INDEX job_month_team_dearest ON job_month USING btree (month_start, team, effective_micro_usd DESC);
--> statement-breakpoint
CREATE INDEX job_name_trgm ON job USING gin (name gin_trgm_ops);
--> statement-breakpoint
CREATE INDEX job_site_submitted ON job USING btree (((placement ->> 'siteId'::text)), submitted_at DESC, id DESC);
--> statement-breakpoint
CREATE INDEX job_span_dearest ON job_span USING btree (first_month, effective_micro_usd DESC, job_id, last_month, team);
--> statement-breakpoint
CREATE INDEX job_span_last ON job_span USING btree (last_month, first_month, job_id, team);
--> statement-breakpoint
CREATE INDEX job_span_team_dearest ON job_span USING btree (first_month, team, effective_micro_usd DESC, job_id, last_month);
--> statement-breakpoint
CREATE INDEX job_state_submitted ON job USING btree (state, submitted_at DESC, id DESC);
--> statement-breakpoint
CREATE INDEX job_submitted ON job USING btree (submitted_at DESC, id DESC);
--> statement-breakpoint
CREATE INDEX job_team_submitted ON job USING btree (team, submitted_at DESC, id DESC);
--> statement-breakpoint
CREATE INDEX offer_price_time ON offer_price USING btree (offer_id, observed_at DESC);
--> statement-breakpoint
CREATE INDEX offer_site ON offer USING btree (site_id);
--> statement-breakpoint
CREATE INDEX policy_publication_time ON policy_publication USING btree (name, published_at);
--> statement-breakpoint
CREATE INDEX proposal_open ON proposal USING btree (proposed_at) WHERE (decision IS NULL);
--> statement-breakpoint
CREATE INDEX rate_card_pool ON rate_card USING btree (site_id, pool_id, effective_from);
--> statement-breakpoint
CREATE INDEX rate_window_starts_at ON rate_window USING btree (starts_at);
--> statement-breakpoint
CREATE INDEX reconciliation_state ON reconciliation USING btree (month, state);
--> statement-breakpoint
CREATE INDEX shadow_decision_time ON shadow_decision USING btree (shadow_id, decided_at);
--> statement-breakpoint
CREATE UNIQUE INDEX shadow_running ON shadow USING btree (policy_name) WHERE (stopped_at IS NULL);
--> statement-breakpoint
CREATE UNIQUE INDEX statement_signature_once ON statement_signature USING btree (statement_id, account_id);
--> statement-breakpoint
CREATE UNIQUE INDEX statement_version ON statement USING btree (month, team, version);
--> statement-breakpoint
CREATE INDEX wait_forecast_newest ON wait_forecast USING btree (horizon, at DESC);
--> statement-breakpoint
CREATE UNIQUE INDEX wait_forecast_once ON wait_forecast USING btree (job_id, attempt_no, horizon);
--> statement-breakpoint
CREATE INDEX wait_forecast_open ON wait_forecast USING btree (job_id) WHERE (ended_at IS NULL);
--> statement-breakpoint
CREATE TRIGGER adoption_release BEFORE UPDATE OF state ON adoption FOR EACH ROW EXECUTE FUNCTION spillway_release_needs_end();
--> statement-breakpoint
CREATE TRIGGER adoption_transition BEFORE UPDATE OF state ON adoption FOR EACH ROW EXECUTE FUNCTION spillway_check_transition('adoption');
--> statement-breakpoint
CREATE TRIGGER api_token_audit AFTER INSERT OR DELETE OR UPDATE OF account_id, hash, revoked_at ON api_token FOR EACH ROW EXECUTE FUNCTION spillway_audit_token();
--> statement-breakpoint
CREATE TRIGGER attempt_facts BEFORE INSERT ON attempt FOR EACH ROW EXECUTE FUNCTION spillway_attempt_facts();
--> statement-breakpoint
CREATE TRIGGER attempt_needs_hold BEFORE INSERT ON attempt FOR EACH ROW EXECUTE FUNCTION spillway_attempt_needs_hold();
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER attempt_sums_added AFTER INSERT ON attempt DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((new.started_at IS NOT NULL) OR (new.finished_at IS NOT NULL))) EXECUTE FUNCTION spillway_keep_attempt_sums();
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER attempt_sums_changed AFTER UPDATE ON attempt DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((((new.state = ANY (ARRAY['failed'::attempt_state, 'interrupted'::attempt_state, 'evicted'::attempt_state, 'lost'::attempt_state, 'cancelled'::attempt_state])) AND ((((old.state IS DISTINCT FROM new.state) OR (old.finished_at IS DISTINCT FROM new.finished_at)) OR (old.cost_micro_usd IS DISTINCT FROM new.cost_micro_usd)) OR (old.gpu_ms IS DISTINCT FROM new.gpu_ms))) OR ((old.state = ANY (ARRAY['failed'::attempt_state, 'interrupted'::attempt_state, 'evicted'::attempt_state, 'lost'::attempt_state, 'cancelled'::attempt_state])) AND (old.state <> new.state)) OR ((new.number = 1) AND (new.capacity_type <> 'owned'::capacity_type) AND ((old.started_at IS DISTINCT FROM new.started_at) OR (old.home_start_ms IS DISTINCT FROM new.home_start_ms))))) EXECUTE FUNCTION spillway_keep_attempt_sums();
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER attempt_sums_removed AFTER DELETE ON attempt DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((old.started_at IS NOT NULL) OR (old.finished_at IS NOT NULL))) EXECUTE FUNCTION spillway_keep_attempt_sums();
--> statement-breakpoint
CREATE TRIGGER attempt_transition BEFORE UPDATE OF state ON attempt FOR EACH ROW EXECUTE FUNCTION spillway_check_transition('attempt');
--> statement-breakpoint
CREATE TRIGGER audit_insert_only BEFORE DELETE OR UPDATE ON audit FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change();
--> statement-breakpoint
CREATE TRIGGER audit_no_truncate BEFORE TRUNCATE ON audit FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change();
--> statement-breakpoint
CREATE TRIGGER audit_seal_insert_only BEFORE DELETE OR UPDATE ON audit_seal FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change();
--> statement-breakpoint
CREATE TRIGGER audit_seal_no_truncate BEFORE TRUNCATE ON audit_seal FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change();
--> statement-breakpoint
CREATE TRIGGER bill_line_insert_only BEFORE DELETE OR UPDATE ON bill_line FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change();
--> statement-breakpoint
CREATE TRIGGER bill_line_no_truncate BEFORE TRUNCATE ON bill_line FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change();
--> statement-breakpoint
CREATE TRIGGER bill_line_restated_insert_only BEFORE DELETE OR UPDATE ON bill_line_restated FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change();
--> statement-breakpoint
CREATE TRIGGER bill_line_restated_no_truncate BEFORE TRUNCATE ON bill_line_restated FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change();
--> statement-breakpoint
CREATE TRIGGER charge_insert_only BEFORE DELETE OR UPDATE ON charge FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change();
--> statement-breakpoint
CREATE TRIGGER charge_no_truncate BEFORE TRUNCATE ON charge FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change();
--> statement-breakpoint
CREATE TRIGGER decision_facts AFTER INSERT ON decision FOR EACH ROW WHEN ((new.attempt_number IS NOT NULL)) EXECUTE FUNCTION spillway_decision_facts();
--> statement-breakpoint
CREATE TRIGGER decision_insert_only BEFORE DELETE OR UPDATE ON decision FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change();
--> statement-breakpoint
CREATE TRIGGER decision_no_truncate BEFORE TRUNCATE ON decision FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change();
--> statement-breakpoint
CREATE TRIGGER instance_transition BEFORE UPDATE OF state ON instance FOR EACH ROW EXECUTE FUNCTION spillway_check_transition('instance');
--> statement-breakpoint
CREATE TRIGGER job_transition BEFORE UPDATE OF state ON job FOR EACH ROW EXECUTE FUNCTION spillway_check_transition('job');
--> statement-breakpoint
CREATE TRIGGER policy_publication_insert_only BEFORE DELETE OR UPDATE ON policy_publication FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change();
--> statement-breakpoint
CREATE TRIGGER policy_publication_no_truncate BEFORE TRUNCATE ON policy_publication FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change();
--> statement-breakpoint
CREATE TRIGGER policy_version_insert_only BEFORE DELETE OR UPDATE ON policy_version FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change();
--> statement-breakpoint
CREATE TRIGGER policy_version_no_truncate BEFORE TRUNCATE ON policy_version FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change();
--> statement-breakpoint
CREATE TRIGGER rate_card_insert_only BEFORE DELETE OR UPDATE ON rate_card FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change();
--> statement-breakpoint
CREATE TRIGGER rate_card_no_truncate BEFORE TRUNCATE ON rate_card FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change();
--> statement-breakpoint
CREATE TRIGGER statement_insert_only BEFORE DELETE OR UPDATE ON statement FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change();
--> statement-breakpoint
CREATE TRIGGER statement_no_truncate BEFORE TRUNCATE ON statement FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change();
--> statement-breakpoint
CREATE TRIGGER statement_note_insert_only BEFORE DELETE OR UPDATE ON statement_note FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change();
--> statement-breakpoint
CREATE TRIGGER statement_note_no_truncate BEFORE TRUNCATE ON statement_note FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change();
--> statement-breakpoint
CREATE TRIGGER statement_signature_insert_only BEFORE DELETE OR UPDATE ON statement_signature FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change();
--> statement-breakpoint
CREATE TRIGGER statement_signature_no_truncate BEFORE TRUNCATE ON statement_signature FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change();
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER taken_price_added AFTER INSERT ON instance DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((new.launched_at IS NOT NULL)) EXECUTE FUNCTION spillway_keep_taken_price();
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER taken_price_launched AFTER UPDATE ON instance DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((old.launched_at IS NULL) AND (new.launched_at IS NOT NULL))) EXECUTE FUNCTION spillway_keep_taken_price();
--> statement-breakpoint
ALTER TABLE ONLY adoption
	ADD CONSTRAINT adoption_job_id_job_id_fk FOREIGN KEY (job_id) REFERENCES job(id);
--> statement-breakpoint
ALTER TABLE ONLY adoption
	ADD CONSTRAINT adoption_site_id_site_id_fk FOREIGN KEY (site_id) REFERENCES site(id);
--> statement-breakpoint
ALTER TABLE ONLY allocation
	ADD CONSTRAINT allocation_attempt_id_attempt_id_fk FOREIGN KEY (attempt_id) REFERENCES attempt(id);
--> statement-breakpoint
ALTER TABLE ONLY allocation
	ADD CONSTRAINT allocation_job_id_job_id_fk FOREIGN KEY (job_id) REFERENCES job(id);
--> statement-breakpoint
ALTER TABLE ONLY api_token
	ADD CONSTRAINT api_token_account_id_account_id_fk FOREIGN KEY (account_id) REFERENCES account(id);
--> statement-breakpoint
ALTER TABLE ONLY approval
	ADD CONSTRAINT approval_job_id_job_id_fk FOREIGN KEY (job_id) REFERENCES job(id);
--> statement-breakpoint
ALTER TABLE ONLY attempt
	ADD CONSTRAINT attempt_job_id_job_id_fk FOREIGN KEY (job_id) REFERENCES job(id);
--> statement-breakpoint
ALTER TABLE ONLY bill_line
	ADD CONSTRAINT bill_line_bill_id_bill_id_fk FOREIGN KEY (bill_id) REFERENCES bill(id);
--> statement-breakpoint
ALTER TABLE ONLY bill_line_restated
	ADD CONSTRAINT bill_line_restated_bill_id_bill_id_fk FOREIGN KEY (bill_id) REFERENCES bill(id);
--> statement-breakpoint
ALTER TABLE ONLY bill_line_restated
	ADD CONSTRAINT bill_line_restated_line_id_bill_line_id_fk FOREIGN KEY (line_id) REFERENCES bill_line(id);
--> statement-breakpoint
ALTER TABLE ONLY checkpoint
	ADD CONSTRAINT checkpoint_job_id_job_id_fk FOREIGN KEY (job_id) REFERENCES job(id);
--> statement-breakpoint
ALTER TABLE ONLY cluster_node
	ADD CONSTRAINT cluster_node_site_id_site_id_fk FOREIGN KEY (site_id) REFERENCES site(id);
--> statement-breakpoint
ALTER TABLE ONLY decision
	ADD CONSTRAINT decision_job_id_job_id_fk FOREIGN KEY (job_id) REFERENCES job(id);
--> statement-breakpoint
ALTER TABLE ONLY delivery
	ADD CONSTRAINT delivery_channel_id_channel_id_fk FOREIGN KEY (channel_id) REFERENCES channel(id);
--> statement-breakpoint
ALTER TABLE ONLY foreign_job
	ADD CONSTRAINT foreign_job_site_id_site_id_fk FOREIGN KEY (site_id) REFERENCES site(id);
--> statement-breakpoint
ALTER TABLE ONLY gpu_minute
	ADD CONSTRAINT gpu_minute_instance_id_instance_id_fk FOREIGN KEY (instance_id) REFERENCES instance(id);
--> statement-breakpoint
ALTER TABLE ONLY hold_budget
	ADD CONSTRAINT hold_budget_hold_id_hold_id_fk FOREIGN KEY (hold_id) REFERENCES hold(id);
--> statement-breakpoint
ALTER TABLE ONLY identity
	ADD CONSTRAINT identity_account_id_account_id_fk FOREIGN KEY (account_id) REFERENCES account(id);
--> statement-breakpoint
ALTER TABLE ONLY instance
	ADD CONSTRAINT instance_attempt_id_attempt_id_fk FOREIGN KEY (attempt_id) REFERENCES attempt(id);
--> statement-breakpoint
ALTER TABLE ONLY instance
	ADD CONSTRAINT instance_job_id_job_id_fk FOREIGN KEY (job_id) REFERENCES job(id);
--> statement-breakpoint
ALTER TABLE ONLY job
	ADD CONSTRAINT job_import_id_job_import_id_fk FOREIGN KEY (import_id) REFERENCES job_import(id);
--> statement-breakpoint
ALTER TABLE ONLY pool
	ADD CONSTRAINT pool_site_id_site_id_fk FOREIGN KEY (site_id) REFERENCES site(id);
--> statement-breakpoint
ALTER TABLE ONLY shadow_decision
	ADD CONSTRAINT shadow_decision_shadow_id_shadow_id_fk FOREIGN KEY (shadow_id) REFERENCES shadow(id);
--> statement-breakpoint
ALTER TABLE ONLY statement_signature
	ADD CONSTRAINT statement_signature_statement_id_statement_id_fk FOREIGN KEY (statement_id) REFERENCES statement(id);
--> statement-breakpoint
-- The moves of server/domain/states.ts. A test holds the two equal.
INSERT INTO state_transition (machine, from_state, to_state) VALUES
	('job', 'held', 'queued'),
	('job', 'held', 'admitted'),
	('job', 'held', 'failed'),
	('job', 'held', 'cancelled'),
	('job', 'queued', 'held'),
	('job', 'queued', 'admitted'),
	('job', 'queued', 'failed'),
	('job', 'queued', 'cancelled'),
	('job', 'admitted', 'queued'),
	('job', 'admitted', 'running'),
	('job', 'admitted', 'failed'),
	('job', 'admitted', 'cancelled'),
	('job', 'running', 'queued'),
	('job', 'running', 'succeeded'),
	('job', 'running', 'failed'),
	('job', 'running', 'cancelled'),
	('instance', 'intended', 'requested'),
	('instance', 'intended', 'terminated'),
	('instance', 'requested', 'provisioning'),
	('instance', 'requested', 'terminating'),
	('instance', 'requested', 'terminated'),
	('instance', 'provisioning', 'ready'),
	('instance', 'provisioning', 'draining'),
	('instance', 'provisioning', 'terminating'),
	('instance', 'provisioning', 'terminated'),
	('instance', 'ready', 'draining'),
	('instance', 'ready', 'terminating'),
	('instance', 'ready', 'terminated'),
	('instance', 'draining', 'terminating'),
	('instance', 'draining', 'terminated'),
	('instance', 'terminating', 'terminated'),
	('attempt', 'starting', 'staging'),
	('attempt', 'starting', 'running'),
	('attempt', 'starting', 'stopping'),
	('attempt', 'starting', 'failed'),
	('attempt', 'starting', 'interrupted'),
	('attempt', 'starting', 'evicted'),
	('attempt', 'starting', 'cancelled'),
	('attempt', 'starting', 'lost'),
	('attempt', 'staging', 'running'),
	('attempt', 'staging', 'stopping'),
	('attempt', 'staging', 'failed'),
	('attempt', 'staging', 'interrupted'),
	('attempt', 'staging', 'evicted'),
	('attempt', 'staging', 'cancelled'),
	('attempt', 'staging', 'lost'),
	('attempt', 'running', 'stopping'),
	('attempt', 'running', 'succeeded'),
	('attempt', 'running', 'failed'),
	('attempt', 'running', 'interrupted'),
	('attempt', 'running', 'evicted'),
	('attempt', 'running', 'cancelled'),
	('attempt', 'running', 'lost'),
	('attempt', 'stopping', 'succeeded'),
	('attempt', 'stopping', 'failed'),
	('attempt', 'stopping', 'interrupted'),
	('attempt', 'stopping', 'evicted'),
	('attempt', 'stopping', 'cancelled'),
	('attempt', 'stopping', 'lost'),
	('adoption', 'offered', 'holding'),
	('adoption', 'offered', 'released'),
	('adoption', 'offered', 'abandoned'),
	('adoption', 'holding', 'held'),
	('adoption', 'holding', 'returning'),
	('adoption', 'holding', 'abandoned'),
	('adoption', 'held', 'returning'),
	('adoption', 'held', 'finishing'),
	('adoption', 'held', 'abandoned'),
	('adoption', 'returning', 'released'),
	('adoption', 'returning', 'finishing'),
	('adoption', 'returning', 'abandoned'),
	('adoption', 'finishing', 'finished');
