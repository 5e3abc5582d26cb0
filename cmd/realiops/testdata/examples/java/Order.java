import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;

/** The application: places an order. ORM_WRITES stands for an upgrade of what it is written with. */
public class Order {
    public static void main(String[] arguments) throws Exception {
        String url = "jdbc:postgresql://" + System.getenv("PGHOST") + ":" + System.getenv("PGPORT") + "/" + System.getenv("PGDATABASE");
        try (Connection db = DriverManager.getConnection(url, System.getenv("PGUSER"), System.getenv("PGPASSWORD"))) {
            db.setAutoCommit(false);
            int writes = Integer.parseInt(System.getenv().getOrDefault("ORM_WRITES", "1"));
            for (int n = 0; n < writes; n++) {
                try (PreparedStatement insert = db.prepareStatement("insert into orders (customer) values (?)")) {
                    insert.setInt(1, 7);
                    insert.executeUpdate();
                }
            }
            db.commit();
        }
    }
}
