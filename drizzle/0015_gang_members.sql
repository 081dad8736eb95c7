DROP INDEX "instance_attempt";--> statement-breakpoint
ALTER TABLE "instance" ADD COLUMN "rank" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "instance" ADD COLUMN "private_address" text;--> statement-breakpoint
ALTER TABLE "instance" ADD COLUMN "staged_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "instance" ADD COLUMN "exit" jsonb;--> statement-breakpoint
ALTER TABLE "instance" ADD COLUMN "log_lines" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
-- The rank is the last part of the id that the intent got; an agent that runs counts its lines on.
UPDATE "instance" SET "rank" = substring("id" from '_[0-9]{3}_([0-9]+)$')::integer WHERE "id" ~ '_[0-9]{3}_[1-9][0-9]*$';--> statement-breakpoint
UPDATE "instance" SET "log_lines" = "attempt"."log_lines" FROM "attempt" WHERE "attempt"."id" = "instance"."attempt_id" AND "instance"."state" <> 'terminated';--> statement-breakpoint
CREATE UNIQUE INDEX "instance_attempt_rank" ON "instance" USING btree ("attempt_id","rank");
