CREATE TYPE "public"."adoption_state" AS ENUM('offered', 'holding', 'held', 'returning', 'released', 'finishing', 'finished', 'abandoned');--> statement-breakpoint
CREATE TABLE "adoption" (
	"id" text PRIMARY KEY NOT NULL,
	"site_id" text NOT NULL,
	"foreign_id" text NOT NULL,
	"job_id" text NOT NULL,
	"state" "adoption_state" DEFAULT 'offered' NOT NULL,
	"facts" jsonb NOT NULL,
	"rule_id" text NOT NULL,
	"policy_version" integer NOT NULL,
	"script" text NOT NULL,
	"why" text,
	"outcome" jsonb,
	"output" jsonb,
	"problem" text,
	"offered_at" timestamp (3) with time zone NOT NULL,
	"held_at" timestamp (3) with time zone,
	"idle_since" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	CONSTRAINT "adoption_ended_iff_final" CHECK (("adoption"."state" in ('released','finished','abandoned')) = ("adoption"."ended_at" is not null)),
	CONSTRAINT "adoption_outcome" CHECK ("adoption"."state" not in ('finishing','finished') or "adoption"."outcome" is not null)
);
--> statement-breakpoint
CREATE TABLE "foreign_job" (
	"site_id" text NOT NULL,
	"id" text NOT NULL,
	"facts" jsonb NOT NULL,
	"first_seen_at" timestamp (3) with time zone NOT NULL,
	"changed_at" timestamp (3) with time zone NOT NULL,
	"not_adopted" jsonb,
	CONSTRAINT "foreign_job_site_id_id_pk" PRIMARY KEY("site_id","id")
);
--> statement-breakpoint
ALTER TABLE "site" ADD COLUMN "queue_read_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "adoption" ADD CONSTRAINT "adoption_site_id_site_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."site"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "adoption" ADD CONSTRAINT "adoption_job_id_job_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."job"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "foreign_job" ADD CONSTRAINT "foreign_job_site_id_site_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."site"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "adoption_job" ON "adoption" USING btree ("job_id");--> statement-breakpoint
CREATE UNIQUE INDEX "adoption_live" ON "adoption" USING btree ("site_id","foreign_id") WHERE "adoption"."ended_at" is null;--> statement-breakpoint
CREATE INDEX "adoption_foreign" ON "adoption" USING btree ("site_id","foreign_id");--> statement-breakpoint
-- State moves only along server/domain/states.ts.
INSERT INTO "state_transition" ("machine", "from_state", "to_state") VALUES
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
	('adoption', 'finishing', 'finished');--> statement-breakpoint
CREATE TRIGGER adoption_transition BEFORE UPDATE OF state ON "adoption" FOR EACH ROW EXECUTE FUNCTION spillway_check_transition('adoption');--> statement-breakpoint
-- One of the two runs: an attempt at an adopted job is made only while its own cluster holds it,
CREATE FUNCTION spillway_attempt_needs_hold() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE theirs record;
BEGIN
	SELECT id, state INTO theirs FROM adoption WHERE job_id = NEW.job_id FOR UPDATE;
	IF FOUND AND theirs.state <> 'held' THEN
		RAISE EXCEPTION 'attempt % of an adopted job, and % is %', NEW.id, theirs.id, theirs.state
			USING ERRCODE = 'check_violation', CONSTRAINT = 'attempt_needs_hold';
	END IF;
	RETURN NEW;
END $$;--> statement-breakpoint
CREATE TRIGGER attempt_needs_hold BEFORE INSERT ON "attempt" FOR EACH ROW EXECUTE FUNCTION spillway_attempt_needs_hold();--> statement-breakpoint
-- and it goes back only when no attempt lives.
CREATE FUNCTION spillway_release_needs_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF NEW.state = 'released' AND EXISTS (
		SELECT 1 FROM attempt WHERE job_id = NEW.job_id AND state IN ('starting', 'staging', 'running', 'stopping')
	) THEN
		RAISE EXCEPTION '% is released while an attempt lives', NEW.id
			USING ERRCODE = 'check_violation', CONSTRAINT = 'release_needs_end';
	END IF;
	RETURN NEW;
END $$;--> statement-breakpoint
CREATE TRIGGER adoption_release BEFORE UPDATE OF state ON "adoption" FOR EACH ROW EXECUTE FUNCTION spillway_release_needs_end();
