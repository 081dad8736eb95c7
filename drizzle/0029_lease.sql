ALTER TABLE "instance" ADD COLUMN "lease_ms" integer;--> statement-breakpoint
ALTER TABLE "instance" ADD COLUMN "fenced_at" timestamp (3) with time zone;