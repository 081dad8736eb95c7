-- What the code promises, held by the database as well.

-- 1. State moves only along the tables of server/domain/states.ts (a test holds the two equal).
CREATE TABLE "state_transition" (
	"machine" text NOT NULL,
	"from_state" text NOT NULL,
	"to_state" text NOT NULL,
	PRIMARY KEY ("machine", "from_state", "to_state")
);
--> statement-breakpoint
INSERT INTO "state_transition" ("machine", "from_state", "to_state") VALUES
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
	('instance', 'terminating', 'terminated');
--> statement-breakpoint
CREATE FUNCTION spillway_check_transition() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE TRIGGER job_transition BEFORE UPDATE OF state ON "job" FOR EACH ROW EXECUTE FUNCTION spillway_check_transition('job');
--> statement-breakpoint
CREATE TRIGGER attempt_transition BEFORE UPDATE OF state ON "attempt" FOR EACH ROW EXECUTE FUNCTION spillway_check_transition('attempt');
--> statement-breakpoint
CREATE TRIGGER instance_transition BEFORE UPDATE OF state ON "instance" FOR EACH ROW EXECUTE FUNCTION spillway_check_transition('instance');
--> statement-breakpoint

-- 2. What happened is never rewritten: charges, decisions, audit and policy versions are insert-only.
CREATE FUNCTION spillway_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION '% is insert-only', TG_TABLE_NAME USING ERRCODE = 'check_violation', CONSTRAINT = TG_TABLE_NAME || '_insert_only';
END $$;
--> statement-breakpoint
CREATE TRIGGER charge_insert_only BEFORE UPDATE OR DELETE ON "charge" FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change();
--> statement-breakpoint
CREATE TRIGGER decision_insert_only BEFORE UPDATE OR DELETE ON "decision" FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change();
--> statement-breakpoint
CREATE TRIGGER audit_insert_only BEFORE UPDATE OR DELETE ON "audit" FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change();
--> statement-breakpoint
CREATE TRIGGER policy_version_insert_only BEFORE UPDATE OR DELETE ON "policy_version" FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change();
