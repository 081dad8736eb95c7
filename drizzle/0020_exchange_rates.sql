-- expands: earlier programs run on this schema
CREATE TABLE "exchange_rate" (
	"currency" text NOT NULL,
	"date" date NOT NULL,
	"units" numeric NOT NULL,
	"usd" numeric NOT NULL,
	"source" text NOT NULL,
	"imported_by" text NOT NULL,
	"imported_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "exchange_rate_currency_date_pk" PRIMARY KEY("currency","date")
);
