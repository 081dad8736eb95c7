CREATE TABLE "gpu_minute" (
	"instance_id" text NOT NULL,
	"minute" timestamp (3) with time zone NOT NULL,
	"gpus" integer NOT NULL,
	"utilisation_permille" integer NOT NULL,
	"milliwatts" integer,
	CONSTRAINT "gpu_minute_instance_id_minute_pk" PRIMARY KEY("instance_id","minute")
);
--> statement-breakpoint
ALTER TABLE "gpu_minute" ADD CONSTRAINT "gpu_minute_instance_id_instance_id_fk" FOREIGN KEY ("instance_id") REFERENCES "public"."instance"("id") ON DELETE no action ON UPDATE no action;