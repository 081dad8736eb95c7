-- expands: earlier programs run on this schema
CREATE TABLE "home_gpu_hour" (
	"site_id" text NOT NULL,
	"node" text NOT NULL,
	"hour" timestamp (3) with time zone NOT NULL,
	"meter" text NOT NULL,
	"gpus" integer NOT NULL,
	"readings" bigint NOT NULL,
	"permille" bigint NOT NULL,
	CONSTRAINT "home_gpu_hour_site_id_node_hour_meter_pk" PRIMARY KEY("site_id","node","hour","meter")
);
--> statement-breakpoint
ALTER TABLE "home_gpu_hour" ADD CONSTRAINT "home_gpu_hour_site_id_site_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."site"("id") ON DELETE cascade ON UPDATE no action;