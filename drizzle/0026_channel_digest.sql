-- expands: earlier programs run on this schema
ALTER TABLE "channel" ADD COLUMN "digest" text DEFAULT 'immediate' NOT NULL;--> statement-breakpoint
ALTER TABLE "delivery" ADD COLUMN "digest_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "delivery" ADD COLUMN "digest_id" text;--> statement-breakpoint
ALTER TABLE "delivery" ADD CONSTRAINT "delivery_digest_id_delivery_id_fk" FOREIGN KEY ("digest_id") REFERENCES "public"."delivery"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "delivery_digest" ON "delivery" USING btree ("digest_id") WHERE "delivery"."digest_id" is not null;