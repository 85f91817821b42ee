"""Small tables that examples of checks are about."""

SHOP = {
    "customers": "customer_id,name,city\n1,Ada,Oslo\n2,Bo,Bergen\n3,Cy,Oslo\n",
    "orders": (
        "order_id,customer_id,region,freight,ordered,sent\n"
        "10,1,North,10.0,2024-01-03,2024-01-05 09:30:00\n"
        "11,2,South,20.0,2024-01-20,2024-01-31 18:00:00\n"
        "12,9,South,5.5,2024-02-11,2024-02-12 00:00:00\n"
        "13,3,,7.0,2024-03-01,\n"
        "14,,North,8.5,2024-03-09,2024-03-31 23:59:00\n"
    ),
    "lines": (
        "line_id,order_id,product,quantity,unit_price\n"
        "1,10,pen,3,1.5\n2,10,ink,1,9.0\n3,11,pen,2,1.5\n4,11,pad,5,4.0\n"
        "5,12,pen,1,1.5\n6,13,pad,2,4.0\n7,14,pen,4,1.5\n8,14,pad,1,4.0\n9,14,ink,2,9.0\n"
    ),
    "payments": (
        "payment_id,order_id,amount,currency\n"
        "1,10,6.5,EUR\n2,10,7.0,EUR\n3,11,23.0,NOK\n4,12,1.5,EUR\n5,14,14.0,USD\n6,14,14.0,EUR\n"
    ),
}

CATALOGUE_OF_FILMS = {
    "films": (
        "film_id,title,genre,studio,department,year,rating,budget,released\n"
        "1,Ash,Drama,Decca,IT,1999,7.1,10.0,1999-03-01\n"
        "2,Bay,drama,Decca Classics,IT/IS,2003,6.0,-999.0,2003-05-09\n"
        "3,Cut,Comedy,Decca,HR,2003,8.2,12.5,2003-08-20\n"
        "4,Dew,Comedy,Pavo,IT,2011,5.5,-999.0,2011-01-15\n"
        "5,Elm,Drama,Pavo,HR,2020,6.6,4.0,2020-12-31\n"
        "6,Fox,Comedy,Pavo,HR,2020,6.1,-999.0,2020-02-01\n"
    )
}

ACCOUNTS = {
    "balances": (
        "account,day,balance,branch\n"
        "A,2024-01-01,100,East\nB,2024-01-01,50,West\n"
        "A,2024-01-02,110,East\nB,2024-01-02,40,West\n"
        "A,2024-01-03,90,East\nB,2024-01-03,60,West\n"
    )
}
