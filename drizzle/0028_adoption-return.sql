ALTER TABLE "adoption" ADD COLUMN "return_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "adoption" DROP COLUMN "idle_since";