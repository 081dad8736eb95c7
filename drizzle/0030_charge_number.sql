CREATE SEQUENCE "public"."charge_number" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1;--> statement-breakpoint
-- Charges from before numbers keep 0, which every number is above: a constant is added without writing the table anew.
ALTER TABLE "charge" ADD COLUMN "number" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "charge" ALTER COLUMN "number" SET DEFAULT nextval('charge_number');--> statement-breakpoint
CREATE INDEX "charge_posted" ON "charge" USING brin ("number","posted_at") WITH (autosummarize=true);
