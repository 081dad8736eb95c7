CREATE TABLE "electricity_price" (
	"site_id" text NOT NULL,
	"hour" timestamp (3) with time zone NOT NULL,
	"micro_usd_per_kwh" bigint NOT NULL,
	"source" text NOT NULL,
	"observed_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "electricity_price_site_id_hour_pk" PRIMARY KEY("site_id","hour")
);
--> statement-breakpoint
CREATE INDEX "charge_of_bills" ON "charge" USING btree ("period_start") WHERE bill_line_id is not null or correction in ('bill_price', 'bill_time');