CREATE TABLE "log_segment" (
	"attempt_id" text NOT NULL,
	"first_number" integer NOT NULL,
	"last_number" integer NOT NULL,
	"last_at" timestamp (3) with time zone NOT NULL,
	"bytes" integer NOT NULL,
	"sha256" text NOT NULL,
	"key" text NOT NULL,
	CONSTRAINT "log_segment_attempt_id_first_number_pk" PRIMARY KEY("attempt_id","first_number")
);
