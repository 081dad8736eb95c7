ALTER TABLE "site" ADD COLUMN "removed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "site" ADD COLUMN "credential_source" jsonb;--> statement-breakpoint
ALTER TABLE "site" ADD COLUMN "sealed_credentials" text;--> statement-breakpoint
ALTER TABLE "site" ADD COLUMN "credentials_changed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "site" ADD COLUMN "unpriced_pools" jsonb;