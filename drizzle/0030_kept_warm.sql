-- expands: earlier programs run on this schema
ALTER TYPE "public"."charge_kind" ADD VALUE 'kept_warm';--> statement-breakpoint
ALTER TABLE "hold" DROP CONSTRAINT "hold_instanceId_unique";--> statement-breakpoint
ALTER TABLE "instance" ALTER COLUMN "job_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "instance" ALTER COLUMN "attempt_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "hold" ADD COLUMN "warm" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "instance" ADD COLUMN "warm_rule" text;--> statement-breakpoint
ALTER TABLE "instance" ADD COLUMN "warm_for" text;--> statement-breakpoint
ALTER TABLE "instance" ADD COLUMN "warm_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "instance" ADD COLUMN "assigned_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "instance" ADD CONSTRAINT "instance_warm_for_job_id_fk" FOREIGN KEY ("warm_for") REFERENCES "public"."job"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "hold_instance" ON "hold" USING btree ("instance_id","warm");--> statement-breakpoint
CREATE INDEX "instance_warm" ON "instance" USING btree ("warm_rule") WHERE "instance"."attempt_id" is null;--> statement-breakpoint
ALTER TABLE "instance" ADD CONSTRAINT "instance_job_with_attempt" CHECK (("instance"."attempt_id" is null) = ("instance"."job_id" is null));--> statement-breakpoint
ALTER TABLE "instance" ADD CONSTRAINT "instance_warm_is_whole" CHECK (num_nonnulls("instance"."warm_rule", "instance"."warm_for", "instance"."warm_until") in (0, 3));--> statement-breakpoint
ALTER TABLE "instance" ADD CONSTRAINT "instance_job_or_warm" CHECK ("instance"."attempt_id" is not null or "instance"."warm_rule" is not null);--> statement-breakpoint
ALTER TABLE "instance" ADD CONSTRAINT "instance_assigned_iff_both" CHECK (("instance"."attempt_id" is not null and "instance"."warm_rule" is not null) = ("instance"."assigned_at" is not null));--> statement-breakpoint
CREATE FUNCTION spillway_check_assignment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'instance % has its job already', OLD.id USING ERRCODE = 'check_violation';
END $$;
--> statement-breakpoint
CREATE TRIGGER instance_assigned_once BEFORE UPDATE OF attempt_id, job_id ON instance FOR EACH ROW
	WHEN (OLD.attempt_id IS NOT NULL AND (NEW.attempt_id IS DISTINCT FROM OLD.attempt_id OR NEW.job_id IS DISTINCT FROM OLD.job_id))
	EXECUTE FUNCTION spillway_check_assignment();
