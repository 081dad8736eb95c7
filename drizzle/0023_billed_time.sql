DROP INDEX "instance_unmetered";--> statement-breakpoint
ALTER TABLE "instance" ADD COLUMN "billed_from" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "instance" ADD COLUMN "billed_from_slack_ms" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "instance" ADD COLUMN "billed_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "instance" ADD COLUMN "billed_until_slack_ms" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "instance" ADD COLUMN "missing_since" timestamp (3) with time zone;--> statement-breakpoint
-- Until now machines were metered from their launch until their end was seen.
UPDATE "instance" SET "billed_from" = "launched_at", "billed_until" = "terminated_at" WHERE "launched_at" IS NOT NULL;--> statement-breakpoint
CREATE INDEX "instance_unmetered" ON "instance" USING btree ("id") WHERE "instance"."billed_from" is not null and ("instance"."metered_until" is null or "instance"."billed_until" is null or "instance"."metered_until" <> "instance"."billed_until");--> statement-breakpoint
ALTER TABLE "instance" ADD CONSTRAINT "instance_billed_until_needs_from" CHECK ("instance"."billed_until" is null or "instance"."billed_from" is not null);