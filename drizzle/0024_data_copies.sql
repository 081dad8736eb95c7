CREATE TABLE "data_copy" (
	"id" text PRIMARY KEY NOT NULL,
	"uri" text NOT NULL,
	"place" text NOT NULL,
	"read_uri" text NOT NULL,
	"write_uri" text NOT NULL,
	"wanted_at" timestamp (3) with time zone NOT NULL,
	"began_at" timestamp (3) with time zone,
	"as_of_at" timestamp (3) with time zone,
	"copied_bytes" bigint,
	"mib_per_s" double precision,
	"failures" integer DEFAULT 0 NOT NULL,
	"error" text,
	"retry_at" timestamp (3) with time zone,
	"used_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "data_copy_place" UNIQUE("uri","place")
);
